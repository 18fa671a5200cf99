import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type RequestOptions, request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/opt/homebrew/bin']

/** The nginx of this machine; undefined if there is none. */
export const nginx = folders.map(folder => join(folder, 'nginx')).find(path => existsSync(path))

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise(closed => server.close(closed))
  return port
}

/** A real nginx that ends TLS and offers a service below `/memory/`. */
export async function startNginx(port: number, target: string) {
  await using starting = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  await makeCertificate(folder)
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, target))
  const running = spawn(nginx ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'])
  const exited = once(running, 'exit')
  starting.defer(async () => {
    running.kill('SIGTERM')
    await exited
  })
  const url = `https://localhost:${port}/memory`
  await untilAnswers(`${url}/health`, exited)
  const stack = starting.move()
  return { url, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const makeCertificate = (folder: string) =>
  promisify(execFile)(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out cert.pem'.split(
      ' ',
    ),
    { cwd: folder },
  )

/** As `docs/how-to/processes.md` shows it, with what nginx needs to run without an installation. */
const configuration = (folder: string, port: number, target: string) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/pid;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port} ssl;
    server_name localhost;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    client_max_body_size 8m;
    location /memory/ {
      proxy_pass ${target}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_read_timeout 1h;
    }
    location /.well-known/oauth-protected-resource/memory/ {
      proxy_pass ${target};
    }
  }
}
`

async function untilAnswers(url: string, exited: Promise<unknown[]>) {
  let ended = false
  void exited.then(() => {
    ended = true
  })
  for (;;) {
    const answer = await requestTls(url).catch(() => undefined)
    if (answer?.status === 200) return
    if (ended) throw new Error('nginx ended before it answered')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** A request over TLS whose certificate nobody knows; `localAddress` says from which address. */
export async function requestTls(
  url: string,
  { body, ...options }: RequestOptions & { body?: string } = {},
): Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; text: string }> {
  const sent = request(url, { agent: false, rejectUnauthorized: false, ...options }).end(body)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode, headers: response.headers, text: await text(response) }
}
