import { z } from 'zod'

export type ClosedSet = { readonly description: string; readonly values: Readonly<Record<string, string>> }

/** The sets of values that the contract knows, and what each value means. GraphQL shows these names and sentences. */
export const closedSets = {
  MemoryState: {
    description: 'Whether a memory takes part in searches and lists.',
    values: { active: 'In use.', archived: 'Excluded from searches, lists and walks.' },
  },
  MemoryGrouping: {
    description: 'What memories can have in common.',
    values: {
      policy: 'Their policy.',
      state: 'Whether they are active.',
      tag: 'A tag.',
      source: 'Their source.',
      session: 'Their session.',
      kind: 'Their kind.',
      relationship_type: 'That they have connections of a type.',
      day: 'The day of their creation.',
      week: 'The week of their creation, which begins on Monday.',
      month: 'The month of their creation.',
    },
  },
  ConflictStatus: {
    description: 'Whether two memories are known to contradict each other.',
    values: {
      confirmed: 'They contradict each other.',
      suggested: 'The service suspects it.',
      rejected: 'Somebody has said that they do not.',
    },
  },
  ReviewOutcome: {
    description: 'What somebody says of a suggested conflict.',
    values: { confirmed: 'They contradict each other.', rejected: 'They do not.' },
  },
  ConnectionOrigin: {
    description: 'Who created a connection.',
    values: {
      asserted: 'A caller created it.',
      discovered: 'The service created it because the two memories are similar, or a chat model found it.',
    },
  },
  EmbeddingStatus: {
    description: 'Whether a memory has an embedding.',
    values: { ready: 'The embedding exists.', pending: 'The embedding is not computed yet.' },
  },
  ErasureState: {
    description: 'Whether an erasure has ended.',
    values: {
      dry_run: 'Nothing is removed: the counts say what would be.',
      running: 'The service still removes what matches.',
      complete: 'Everything that matches was removed.',
    },
  },
  DeliveryState: {
    description: 'Whether a change has arrived at a webhook.',
    values: {
      waiting: 'It waits for its first or next attempt.',
      delivered: 'The receiver accepted it.',
      failed: 'The receiver did not accept it within a day.',
    },
  },
  Figure: {
    description: 'A figure of the insights that counts memories.',
    values: {
      fading: 'Active memories with a health below 20.',
      unconnected: 'Active memories without a connection.',
      never_recalled: 'Active memories that nobody has recalled, although half of their time is over.',
      near_duplicates: 'Active memories that have a near duplicate, connected or not.',
      outliers: 'Active memories with neither a connection nor a near neighbour.',
    },
  },
  MaintenanceKind: {
    description: 'What a maintenance plan is for.',
    values: {
      lifecycle: 'What the policies ask for.',
      forget: 'Archive the memories that match filters.',
      merge: 'Merge near duplicates.',
    },
  },
  MaintenanceRunKind: {
    description: 'What a maintenance plan or run is for.',
    values: {
      lifecycle: 'What the policies ask for.',
      forget: 'Archive the memories that match filters.',
      merge: 'Merge near duplicates.',
      extract: 'Facts that a chat model has extracted from turns.',
      supersede: 'Archive a memory that a newer one replaces, as a chat model proposes.',
    },
  },
  Visibility: {
    description: 'Who sees what is stored.',
    values: { private: 'The owner of the key alone.', shared: 'Everybody in the tenant.' },
  },
  OnDuplicate: {
    description: 'What a create does if an active memory has the same text.',
    values: {
      store: 'It stores another memory.',
      return: 'It stores nothing and returns the existing memory.',
    },
  },
  ClearableField: {
    description: 'A field of a memory that can be cleared.',
    values: {
      source: 'Where the memory comes from.',
      session_id: 'The conversation, document or run that it belongs to.',
      speaker: 'Who said it.',
      kind: 'What sort of memory it is.',
      valid_from: 'From when on the content holds.',
      valid_until: 'Until when the content holds.',
    },
  },
  ClearableConnectionField: {
    description: 'A field of a connection that can be cleared.',
    values: {
      strength: 'How strong it is.',
      reason: 'Why the memories are connected.',
      valid_from: 'From when on it holds.',
      valid_until: 'Until when it holds.',
    },
  },
  RemovalState: {
    description: 'The state of a memory after it was deleted.',
    values: { archived: 'Excluded from searches, lists and walks.', deleted: 'Removed permanently.' },
  },
  MemoryOrder: {
    description: 'The field by which a list of memories is sorted.',
    values: {
      created_at: 'The time of creation.',
      updated_at: 'The time of the last change.',
      importance: 'The importance.',
      health: 'The health.',
      last_recalled_at: 'The time of the last recall.',
    },
  },
  OrderDirection: {
    description: 'The direction in which a list is sorted.',
    values: { asc: 'Smallest or oldest first.', desc: 'Largest or newest first.' },
  },
  TagsMatch: {
    description: 'How many of the tags must match.',
    values: { all: 'All of them.', any: 'At least one.', none: 'None of them.' },
  },
  SearchType: {
    description: 'How to search.',
    values: {
      semantic: 'By meaning, with embeddings.',
      keyword: 'By words.',
      hybrid: 'By meaning and by words, with both scores combined.',
    },
  },
  ContextRole: {
    description: 'Why a memory is part of a context.',
    values: {
      hit: 'The search found it.',
      contradiction: 'It contradicts the memory next to which it is placed.',
      older: 'It says nearly the same as the memory next to which it is placed, and is older.',
      turn: 'It stands right before or after the memory next to which it is placed, in the same session.',
      bridge: 'It is connected with two hits that are not connected with each other.',
      neighbour: 'It is connected with the memory next to which it is placed.',
      community: 'It is central to the community of the memory next to which it is placed.',
      pinned: 'Without a question: a pinned memory.',
      conflict: 'Without a question: a memory of an open conflict.',
      used: 'Without a question: a memory that is recalled often.',
      recent: 'Without a question: one of the newest memories.',
    },
  },
  RelationshipType: {
    description: 'What a connection says about its source.',
    values: {
      related_to: 'The source has to do with the target.',
      caused_by: 'The target is the cause of the source.',
      part_of: 'The source is a part of the target.',
      references: 'The source mentions the target.',
      contradicts: 'The source contradicts the target.',
      supports: 'The source supports the target.',
      similar_to: 'The source is similar to the target.',
      derived_from: 'The source was made from the target.',
    },
  },
  Direction: {
    description: 'The direction in which connections are followed.',
    values: {
      out: 'From the source to the target.',
      in: 'From the target to the source.',
      both: 'In both directions.',
    },
  },
  ChangeKind: {
    description: 'What happened to a memory, a connection or a policy.',
    values: {
      created: 'A memory was created.',
      updated: 'A caller changed a memory, or a promotion was undone.',
      archived: 'A caller or maintenance archived a memory.',
      restored: 'A memory is active again, or its removal was undone and it is archived again.',
      removed: 'A memory was removed with its connections. The connections are not reported one by one.',
      promoted: 'Maintenance moved a memory to another policy.',
      embedded:
        'The vector of a memory came later than its write. Reported only if you ask for this kind, or for what matches a question.',
      connected: 'A connection was created, or its strength or origin changed.',
      disconnected: 'A connection was removed.',
      policy_put: 'A policy was defined, or its rules changed.',
      policy_deleted: 'A policy was deleted, or the built-in policy applies again.',
    },
  },
  FeedStart: {
    description: 'Where to start in the feed.',
    values: { oldest: 'At the oldest change that is kept.', now: 'After the newest change.' },
  },
  LifecycleChangeKind: {
    description: 'The most important change to a memory.',
    values: {
      decay: 'It loses health or importance.',
      recall: 'It gains health because it was recalled.',
      promote: 'It moves to another policy.',
      merge: 'It takes over from near duplicates.',
      archive: 'It is archived.',
      remove: 'It is removed.',
      extract: 'It was extracted from turns.',
    },
  },
  LifecycleState: {
    description: 'The state of a memory before or after maintenance.',
    values: {
      active: 'In use.',
      archived: 'Excluded from searches, lists and walks.',
      removed: 'Removed. You can undo this.',
    },
  },
  MaintenanceState: {
    description: 'The state of a plan or a run.',
    values: {
      planned: 'You can apply it.',
      waiting:
        'It would archive or remove too much at once, or a chat model proposes it. It waits until you apply it.',
      applied: 'It was applied.',
      undone: 'It was applied and undone.',
    },
  },
  MaintenanceOrigin: {
    description: 'What started a plan or a run.',
    values: { asked: 'A caller.', scheduled: 'The schedule.', model: 'An answer of the chat model.' },
  },
  Scope: {
    description:
      'What a key may do. Each of the first four includes the ones before it; `cypher` is part of no other one.',
    values: {
      read: 'Read, search and walk the graph.',
      write: 'Also create, change and archive memories, and connect them.',
      delete: 'Also remove memories permanently.',
      admin: 'Also manage policies, maintenance, jobs and keys.',
      cypher: 'Query the graph in Cypher.',
    },
  },
  ModelStatus: {
    description: 'Whether the chat model answers.',
    values: { up: 'Its last call succeeded.', degraded: 'Its last call failed, or there was none.' },
  },
  JobState: {
    description: 'The state of a job.',
    values: {
      queued: 'It waits to run.',
      waiting: 'It failed and waits for its next attempt.',
      running: 'A worker runs it.',
      failed: 'All attempts failed.',
      done: 'It is finished.',
    },
  },
  SpaceState: {
    description: 'How an embedding space is used.',
    values: {
      active: 'Searches use it.',
      building: 'Embeddings are being added to it.',
      standby: 'It is kept up to date, so that you can switch to it.',
    },
  },
  ImportMode: {
    description: 'What an import does with data that already exists.',
    values: {
      merge: 'The later change wins.',
      replace: 'The bundle wins. What is not in the bundle is removed.',
    },
  },
  LeftOutReason: {
    description: 'Why a line of a bundle was not imported.',
    values: {
      unknown_policy: 'The tenant has no such policy.',
      missing_memory: 'The memory of the version does not exist.',
      missing_end: 'One of the two memories does not exist.',
      secret: 'It contains a secret, and the settings refuse those.',
    },
  },
} as const satisfies Readonly<Record<string, ClosedSet>>

type SetName = keyof typeof closedSets
type Value<Name extends SetName> = keyof (typeof closedSets)[Name]['values'] & string

/** The schema of a closed set. */
export const closedSet = <Name extends SetName>(name: Name) =>
  z.enum(Object.keys(closedSets[name].values) as [Value<Name>, ...Value<Name>[]])
