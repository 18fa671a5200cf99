import { audit } from './audit.ts'
import { backup } from './backup/index.ts'
import { completion } from './completion.ts'
import { cypher } from './cypher/index.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor/index.ts'
import { exportCommand } from './export.ts'
import { connect, disconnect } from './graph/connect.ts'
import { path } from './graph/path.ts'
import { related } from './graph/related.ts'
import { importCommand } from './import.ts'
import { ingest } from './ingest.ts'
import { jobs } from './jobs.ts'
import { conflicts } from './keeping/conflicts.ts'
import { erase } from './keeping/erase.ts'
import { forget } from './keeping/forget.ts'
import { maintain } from './keeping/maintain.ts'
import { keys } from './keys.ts'
import { mcp } from './mcp.ts'
import { add } from './memories/add.ts'
import { changes } from './memories/changes.ts'
import { context } from './memories/context.ts'
import { edit } from './memories/edit.ts'
import { history, revert } from './memories/history.ts'
import { list } from './memories/list.ts'
import { search } from './memories/search.ts'
import { show } from './memories/show.ts'
import { archive, deleteCommand, restore } from './memories/states.ts'
import { kinds, sessions, sources, tags } from './memories/values.ts'
import { migrateCommand } from './migrate.ts'
import { schema } from './schema.ts'
import type { Sections } from './shell/program.ts'
import { start } from './start.ts'
import { stats } from './stats.ts'
import { tenants } from './tenants.ts'
import { verifyCommand } from './verify.ts'
import { webhooks } from './webhooks.ts'
import { whoami } from './whoami.ts'

/** All commands, as the help divides them. */
export const sections: Sections = {
  'Begin:': { start, demo, add, search, context, doctor },
  'Memories:': {
    list,
    show,
    edit,
    history,
    revert,
    archive,
    restore,
    delete: deleteCommand,
    tags,
    sources,
    sessions,
    kinds,
    changes,
    stats,
  },
  'The graph:': { related, path, connect, disconnect, cypher },
  'Keeping it good:': { conflicts, forget, erase, maintain },
  'Data in and out:': { ingest, import: importCommand, export: exportCommand, verify: verifyCommand },
  'Running it:': {
    whoami,
    keys,
    tenants,
    audit,
    webhooks,
    backup,
    jobs,
    migrate: migrateCommand,
    mcp,
    schema,
    completion: completion(() => sections),
  },
}
