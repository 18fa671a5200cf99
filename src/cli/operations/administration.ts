import { AN_ID, type CommandGroup } from '../shell/command.ts'
import { operation } from './operation.ts'
import { cellOf } from './show.ts'

export const whoami = operation('getAccess', {
  show({ tenant, owner, key_id, operator, scopes }, { say }) {
    say(`tenant  ${tenant}`)
    if (owner !== null) say(`owner   ${owner}`)
    say(`key     ${key_id ?? '–'}`)
    say(`may     ${scopes.join(', ')}${operator ? ', in every tenant' : ''}`)
  },
})

export const keys: CommandGroup = {
  summary: "Make, list, rotate and revoke a tenant's keys",
  actions: {
    create: operation('createKey', {
      summary: 'Make a key; it is printed this once',
      examples: [
        'keys create --name laptop',
        'keys create --tenant crm --scopes read',
        'keys create --owner anna',
      ],
      defaults: { scopes: ['read', 'write'] },
      without: ['tenant'],
      show({ tenant, scopes, key }, { note, say }) {
        note(`A key of the tenant ${tenant} that may ${scopes.join(' and ')}; it is shown this once:`)
        say(key)
      },
    }),
    list: operation('listKeys', {
      only: 'keys',
      columns: [
        'id',
        { SCOPES: ({ scopes }) => scopes.join(',') },
        'created_at',
        'last_used_at',
        'expires_at',
        'owner',
        'name',
      ],
      none: 'The tenant has no keys.',
    }),
    rotate: operation('rotateKey', {
      details: [
        'The new key has the same name, tenants, owner, scopes and rate limit, and expires when the old key would have.',
        'You can rotate a key again during its overlap, for example if you lost the new one: this makes another new key',
        'and never extends the overlap. An expired key cannot be rotated.',
      ].join(' '),
      examples: [`keys rotate ${AN_ID}`, `keys rotate ${AN_ID} --overlap 3600`],
      show({ key }, { note, say }) {
        note('The new key; it is shown this once:')
        say(key)
      },
    }),
    revoke: operation('deleteKey', { done: ({ id }) => `Revoked ${id}.` }),
  },
}

export const tenants: CommandGroup = {
  summary: 'List the tenants, limit what they store, or erase one',
  actions: {
    list: operation('listTenants', {
      columns: [
        'tenant',
        {
          ACTIVE: ({ memories }) => memories.active,
          ARCHIVED: ({ memories }) => memories.archived,
          QUOTA: ({ quota }) => quota?.memories,
        },
        'keys',
        'last_write_at',
      ],
      none: 'There are no tenants yet.',
    }),
    quota: operation('putQuota', {
      as: 'NAME',
      details: 'Without an option the settings of the service apply to the tenant again.',
      examples: ['tenants quota platform-team --memories 100000'],
      done: ({ tenant, memories, characters }) =>
        `${tenant} may store ${memories ?? 'any number of'} memories with ${characters ?? 'any number of'} characters, if the settings allow it.`,
    }),
    erase: operation('eraseTenant', {
      as: 'NAME',
      details: 'You cannot undo it. The audit log of the tenant and the receipts of erasures stay.',
      examples: ['tenants erase former-customer --yes'],
      confirm: 'Nothing was erased. It cannot be undone: repeat with --yes',
      show({ id, counts, complete }, { say, note }) {
        say(String(id))
        note(`Erased ${counts.memories} memories and all else that the tenant had.`)
        if (!complete)
          note(`The service continues with the rest: mnemograph erasure ${id} says when it is complete.`)
      },
    }),
  },
}

export const auditCommand = operation('listAudit', {
  summary: 'List who did what, newest first',
  examples: [
    'audit list',
    'audit list --key operator --outcome ok',
    'audit list --since 2026-11-01T00:00:00Z',
  ],
  columns: [
    { NO: 'number', TIME: 'at', KEY: ({ key_name, key_id }) => key_name ?? key_id },
    'operation',
    'outcome',
    'target',
  ],
  none: 'No entries.',
})

export const webhooks: CommandGroup = {
  summary: 'Send changes to your addresses, and see whether they arrive',
  actions: {
    add: operation('createWebhook', {
      words: [['url', 'ADDRESS', 'one address']],
      summary: 'Send changes to an address; its secret is printed this once',
      details: [
        'The service sends each change of the tenant from now on as a POST request, signed as Standard Webhooks defines.',
        'docs/how-to/webhooks.md describes requests, retries and allowed addresses. A tenant can have 20 webhooks.',
      ].join(' '),
      examples: ['webhooks add https://app.example/hooks/memory --kinds created,updated --tags checkout'],
      show({ id, url, secret }, { note, say }) {
        note(`The webhook ${id} sends changes to ${url}. Its secret is shown this once:`)
        say(secret)
      },
    }),
    list: operation('listWebhooks', {
      only: 'webhooks',
      columns: ['id', 'waiting', 'delivered_at', 'paused_until', 'last_error', { ADDRESS: 'url' }],
      none: 'The tenant has no webhooks.',
    }),
    remove: operation('deleteWebhook', { done: ({ id }) => `Removed ${id}.` }),
    deliveries: operation('listDeliveries', {
      examples: [`webhooks deliveries ${AN_ID} --state failed`],
      columns: [
        'id',
        { CHANGE: 'type' },
        'state',
        'attempts',
        { WHEN: ({ settled_at, due_at }) => settled_at ?? due_at },
        'last_error',
      ],
      none: 'There are no such deliveries.',
    }),
    redeliver: operation('redeliver', { done: ({ queued }) => `Queued again: ${queued}.` }),
  },
}

const spaceId = ['id', 'SPACE', 'one embedding space by its id'] as const

export const spaces: CommandGroup = {
  summary: 'List, compare, switch and delete embedding spaces (operator key)',
  actions: {
    list: operation('listEmbeddingSpaces', {
      columns: ['id', 'state', 'available', 'ready', 'missing', 'created_at'],
      none: 'There are no embedding spaces.',
    }),
    compare: operation('compareEmbeddingSpaces', {
      words: [spaceId],
      examples: ['spaces compare hash-256 --sample 200'],
    }),
    switch: operation('switchEmbeddingSpace', {
      words: [spaceId],
      examples: ['spaces switch hash-256'],
      done: ({ active, previous }) =>
        `Searches use ${active}. Take it back: mnemograph spaces switch ${cellOf(previous)}`,
    }),
    delete: operation('deleteEmbeddingSpace', {
      words: [spaceId],
      examples: ['spaces delete hash-256 --yes'],
      confirm: 'Nothing was deleted. It cannot be undone: repeat with --yes',
      done: ({ id }) => `Deleted ${id}.`,
    }),
  },
}
