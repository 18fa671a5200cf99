import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import protobuf from 'protobufjs'
import { onLoopback } from '../../tools/loopback.ts'
import { keepOutput } from './output.ts'

/** What the tests read of opentelemetry-proto (`collector/trace/v1/trace_service.proto` and what it imports). */
const proto = `syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }`

type KeyValue = { key: string; value: Record<string, string | number | boolean> }
type WireSpan = {
  traceId: Uint8Array
  spanId: Uint8Array
  parentSpanId: Uint8Array
  name: string
  attributes: KeyValue[]
  status?: { code: number }
}
type Wire = {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: WireSpan[] }[] }[]
}

export type ReceivedSpan = {
  service: unknown
  trace: string
  id: string
  parent: string
  name: string
  attributes: Record<string, unknown>
  failed: boolean
}

/** A collector of traces by OTLP over HTTP, as the protocol defines it. */
export async function startOtlpReceiver() {
  const request = protobuf.parse(proto, { keepCase: false }).root.lookupType('ExportTraceServiceRequest')
  const spans: ReceivedSpan[] = []
  const server = createServer(async (incoming, response) => {
    const raw = await buffer(incoming)
    const body = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
    if (incoming.url !== '/v1/traces') return void response.writeHead(404).end()
    keepOutput(body.toString('utf8'))
    spans.push(...spansOf(request.decode(body) as unknown as Wire))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  return { ...(await onLoopback(server)), spans }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

const valuesOf = (attributes: KeyValue[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOf = ({ resourceSpans }: Wire): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(span => ({
        service: valuesOf(resource.attributes)['service.name'],
        trace: hex(span.traceId),
        id: hex(span.spanId),
        parent: hex(span.parentSpanId),
        name: span.name,
        attributes: valuesOf(span.attributes),
        failed: span.status?.code === 2,
      })),
  )
