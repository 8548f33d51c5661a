// A PostgreSQL for as long as standard input is open: its address is the first line of the output.

import { startPostgres } from "./postgres.ts";

const server = await startPostgres();
process.stdout.write(`${server.url}\n`);
for await (const _ of process.stdin);
await server.stop();
