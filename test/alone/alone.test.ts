import { afterAll } from 'vitest'
import { returnDatabase } from '../support/own-database.ts'

// What concerns all tenants of a database needs one of its own. These share it, one after the other: first those that begin
// without a schema, then those that embed alike, as each new kind of vector makes an index and so all plans again.
import './migrate.ts'
import './processes.ts'
import './schedule.ts'
import './batches.ts'
import './backup.ts'
import './integrity.ts'
import './embedding-spaces.ts'
import './first-question.ts'
import './documents.ts'

afterAll(returnDatabase)
