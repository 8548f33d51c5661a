// Makes a database: the server is the first argument, its name the second.

import { Client } from "pg";

const [connectionString, name = ""] = process.argv.slice(2);
const client = new Client({ connectionString });
await client.connect();
await client.query(
  `create database ${name} template template0 locale_provider icu icu_locale 'en-US'`,
);
await client.end();
