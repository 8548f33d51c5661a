// Database file: what is asked of a database that nobody has open, before a release opens it.

export { copyDatabase, schemaOfFile } from "../store/sqlite/backup.ts";
