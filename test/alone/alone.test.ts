import { afterAll } from 'vitest'
import { endDatabase } from '../support/own-database.ts'

// What concerns all tenants of a database needs one of its own. These share it, one after the other.
import './migrate.ts'
import './processes.ts'
import './embedding-spaces.ts'
import './schedule.ts'
import './batches.ts'
import './backup.ts'
import './integrity.ts'
import './first-question.ts'
import './documents.ts'

afterAll(endDatabase)
