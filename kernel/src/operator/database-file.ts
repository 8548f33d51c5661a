// Database file: what is asked of a database that nobody has open, before a release opens it.

export { copyDatabase, countRuns, schemaOfFile } from "../store/sqlite/backup.ts";
export { SCHEMA_VERSION } from "../store/schema.ts";
