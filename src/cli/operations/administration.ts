import { AN_ID, type CommandGroup } from '../shell/command.ts'
import { operation } from './operation.ts'
import { cellOf } from './show.ts'

export const whoami = operation('getAccess', {
  examples: ['whoami'],
  show({ tenant, owner, key_id, operator, scopes }, { say }) {
    say(`tenant  ${tenant}`)
    if (owner !== null) say(`owner   ${owner}`)
    say(`key     ${key_id ?? '–'}`)
    say(`may     ${scopes.join(', ')}${operator ? ', in every tenant' : ''}`)
  },
})

const keyId = { field: 'id', as: 'ID', means: 'one key by its id' }

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
      examples: ['keys list'],
      only: 'keys',
      rows: {
        of: 'keys',
        none: 'The tenant has no keys.',
        columns: {
          ID: 'id',
          SCOPES: ({ scopes }) => scopes.join(','),
          CREATED: 'created_at',
          'LAST USED': 'last_used_at',
          EXPIRES: 'expires_at',
          OWNER: 'owner',
          NAME: 'name',
        },
      },
    }),
    rotate: operation('rotateKey', {
      words: [keyId],
      examples: [`keys rotate ${AN_ID}`, `keys rotate ${AN_ID} --overlap 3600`],
      show({ key }, { note, say }) {
        note('The new key; it is shown this once:')
        say(key)
      },
    }),
    revoke: operation('deleteKey', {
      words: [keyId],
      examples: [`keys revoke ${AN_ID}`],
      show: ({ id }, { note }) => note(`Revoked ${id}.`),
    }),
  },
}

const tenantName = { field: 'tenant', as: 'NAME', means: 'one tenant' }

export const tenants: CommandGroup = {
  summary: 'List the tenants, limit what they store, or erase one',
  actions: {
    list: operation('listTenants', {
      examples: ['tenants list'],
      rows: {
        of: 'tenants',
        none: 'There are no tenants yet.',
        columns: {
          TENANT: 'tenant',
          ACTIVE: ({ memories }) => memories.active,
          ARCHIVED: ({ memories }) => memories.archived,
          QUOTA: ({ quota }) => quota?.memories,
          KEYS: 'keys',
          'LAST WRITE': 'last_write_at',
        },
      },
    }),
    quota: operation('putQuota', {
      words: [tenantName],
      details: 'Without an option the settings of the service apply to the tenant again.',
      examples: ['tenants quota platform-team --memories 100000'],
      show: ({ tenant, memories, characters }, { note }) =>
        note(
          `${tenant} may store ${memories ?? 'any number of'} memories with ${characters ?? 'any number of'} characters, if the settings allow it.`,
        ),
    }),
    erase: operation('eraseTenant', {
      words: [tenantName],
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
  rows: {
    of: 'entries',
    none: 'No entries.',
    columns: {
      NO: 'number',
      TIME: 'at',
      KEY: ({ key_name, key_id }) => key_name ?? key_id,
      OPERATION: 'operation',
      OUTCOME: 'outcome',
      TARGET: 'target',
    },
  },
})

const webhookId = { field: 'id', as: 'ID', means: 'one webhook by its id' }

export const webhooks: CommandGroup = {
  summary: 'Send changes to your addresses, and see whether they arrive',
  actions: {
    add: operation('createWebhook', {
      words: [{ field: 'url', as: 'ADDRESS', means: 'one address' }],
      summary: 'Send changes to an address; its secret is printed this once',
      examples: ['webhooks add https://app.example/hooks/memory --kinds created,updated --tags checkout'],
      show({ id, url, secret }, { note, say }) {
        note(`The webhook ${id} sends changes to ${url}. Its secret is shown this once:`)
        say(secret)
      },
    }),
    list: operation('listWebhooks', {
      examples: ['webhooks list'],
      only: 'webhooks',
      rows: {
        of: 'webhooks',
        none: 'The tenant has no webhooks.',
        columns: {
          ID: 'id',
          WAITING: 'waiting',
          DELIVERED: 'delivered_at',
          'PAUSED UNTIL': 'paused_until',
          'LAST ERROR': 'last_error',
          ADDRESS: 'url',
        },
      },
    }),
    remove: operation('deleteWebhook', {
      words: [webhookId],
      examples: [`webhooks remove ${AN_ID}`],
      show: ({ id }, { note }) => note(`Removed ${id}.`),
    }),
    deliveries: operation('listDeliveries', {
      words: [webhookId],
      examples: [`webhooks deliveries ${AN_ID} --state failed`],
      rows: {
        of: 'deliveries',
        none: 'There are no such deliveries.',
        columns: {
          ID: 'id',
          CHANGE: 'type',
          STATE: 'state',
          ATTEMPTS: 'attempts',
          WHEN: ({ settled_at, due_at }) => settled_at ?? due_at,
          'LAST ERROR': 'last_error',
        },
      },
    }),
    redeliver: operation('redeliver', {
      words: [webhookId],
      examples: [`webhooks redeliver ${AN_ID}`],
      show: ({ queued }, { note }) => note(`Queued again: ${queued}.`),
    }),
  },
}

const spaceId = { field: 'id', as: 'SPACE', means: 'one embedding space by its id' }

export const spaces: CommandGroup = {
  summary: 'List, compare, switch and delete embedding spaces (operator key)',
  actions: {
    list: operation('listEmbeddingSpaces', {
      examples: ['spaces list'],
      rows: {
        of: 'spaces',
        none: 'There are no embedding spaces.',
        columns: {
          ID: 'id',
          STATE: 'state',
          AVAILABLE: 'available',
          READY: 'ready',
          MISSING: 'missing',
          CREATED: 'created_at',
        },
      },
    }),
    compare: operation('compareEmbeddingSpaces', {
      words: [spaceId],
      examples: ['spaces compare hash-256 --sample 200'],
    }),
    switch: operation('switchEmbeddingSpace', {
      words: [spaceId],
      examples: ['spaces switch hash-256'],
      show: ({ active, previous }, { note }) =>
        note(`Searches use ${active}. Take it back: mnemograph spaces switch ${cellOf(previous)}`),
    }),
    delete: operation('deleteEmbeddingSpace', {
      words: [spaceId],
      examples: ['spaces delete hash-256 --yes'],
      confirm: 'Nothing was deleted. It cannot be undone: repeat with --yes',
      show: ({ id }, { note }) => note(`Deleted ${id}.`),
    }),
  },
}
