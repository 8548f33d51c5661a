// The store's contract, on every database that keeps it. The ways in which SQLite is written are in
// store-variants.deep.test.ts.

import { afterAll, describe, test } from "vitest";
import { tryPostgres } from "../helpers/postgres.ts";
import { authoritySuite } from "./store/authority.ts";
import { blobSuite } from "./store/blobs.ts";
import { bootSuite } from "./store/boot.ts";
import { commitSuite } from "./store/commit.ts";
import { postgresDatabase, sqliteDatabase, type NewDatabase } from "./store/database.ts";
import { historySuite } from "./store/history.ts";
import { listsSuite } from "./store/lists.ts";
import { mailSuite } from "./store/mail.ts";
import { nodesSuite } from "./store/nodes.ts";
import { numbersSuite } from "./store/numbers.ts";
import { pagesSuite } from "./store/pages.ts";
import { postsSuite } from "./store/posts.ts";
import { removalSuite } from "./store/removal.ts";
import { fleetsSuite } from "./store/fleets.ts";
import { schedulesSuite } from "./store/schedules.ts";
import { spendSuite } from "./store/spend.ts";
import { storedSuite } from "./store/stored.ts";
import { tablesSuite } from "./store/tables.ts";

function contract(newDatabase: NewDatabase): void {
  describe("commit", () => commitSuite(newDatabase));
  describe("history", () => historySuite(newDatabase));
  describe("removal", () => removalSuite(newDatabase));
  describe("blobs", () => blobSuite(newDatabase));
  describe("tables", () => tablesSuite(newDatabase));
  describe("authority", () => authoritySuite(newDatabase));
  describe("lists", () => listsSuite(newDatabase));
  describe("mail", () => mailSuite(newDatabase));
  describe("schedules", () => schedulesSuite(newDatabase));
  describe("fleets", () => fleetsSuite(newDatabase));
  describe("posts", () => postsSuite(newDatabase));
  describe("stored", () => storedSuite(newDatabase));
  describe("pages", () => pagesSuite(newDatabase));
  describe("boot", () => bootSuite(newDatabase));
  describe("numbers", () => numbersSuite(newDatabase));
  describe("spend", () => spendSuite(newDatabase));
}

describe("SQLite", () => contract(sqliteDatabase));

const server = await tryPostgres();

if ("missing" in server) {
  describe.skip(`PostgreSQL (${server.missing})`, () => test("keeps the contract", () => {}));
} else {
  afterAll(server.stop);
  describe("PostgreSQL", () => {
    contract(() => postgresDatabase(server));
    describe("nodes", () => nodesSuite(() => postgresDatabase(server), server));
  });
}
