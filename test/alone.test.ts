import { afterAll } from 'vitest'
import { endDatabase } from './support/own-database.ts'

// What concerns all tenants of a database needs one of its own. These share it, one after the other.
import './alone/migrate.ts'
import './alone/processes.ts'
import './alone/embedding-spaces.ts'
import './alone/schedule.ts'
import './alone/turns.ts'
import './alone/memory-migrations.ts'

afterAll(endDatabase)
