import { auditLog } from './audit.ts'
import { backup } from './backup/index.ts'
import { completion } from './completion.ts'
import { cypher } from './cypher/index.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor/index.ts'
import { exportCommand } from './export.ts'
import { forget } from './forget.ts'
import { graph } from './graph-export.ts'
import { hooks } from './hooks.ts'
import { importCommand } from './import.ts'
import { ingest } from './ingest.ts'
import { mcp } from './mcp.ts'
import { add } from './memories/add.ts'
import { changes } from './memories/changes.ts'
import { edit } from './memories/edit.ts'
import { migrateCommand } from './migrate.ts'
import { keys, spaces, tenants, webhooks, whoami } from './operations/administration.ts'
import { connect, connections, disconnect, insights, path, related, stats } from './operations/graph.ts'
import { jobs } from './operations/jobs.ts'
import { conflicts, erase, erasure, maintain, policies } from './operations/lifecycle.ts'
import { memoryCommands } from './operations/memories.ts'
import { schema } from './schema.ts'
import type { Sections } from './shell/program.ts'
import { start } from './start.ts'
import { verifyCommand } from './verify.ts'

const { list, show, search, context, ...others } = memoryCommands

/** All commands, as the help divides them. */
export const commandSections: Sections = {
  'Begin:': { start, demo, add, search, context, doctor },
  'Memories:': { list, show, edit, ...others, changes, stats, insights },
  'The graph:': { related, path, connect, disconnect, connections, graph, cypher },
  'Keeping it good:': { conflicts, policies, forget, erase, erasure, maintain },
  'Data in and out:': { ingest, import: importCommand, export: exportCommand, verify: verifyCommand },
  'Running it:': {
    whoami,
    keys,
    tenants,
    audit: auditLog,
    webhooks,
    spaces,
    backup,
    jobs,
    migrate: migrateCommand,
    mcp,
    hooks,
    schema,
    completion: completion(() => commandSections),
  },
}
