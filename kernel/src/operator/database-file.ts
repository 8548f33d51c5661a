// Database file: checks of a closed database, before a release opens it.

export { copyDatabase, countRuns, schemaOfFile } from "../store/sqlite/backup.ts";
export { SCHEMA_VERSION } from "../store/schema.ts";
