// The store's contract where SQLite is written otherwise: every commit left to a later one, and by two threads in turn.

import { describe } from "vitest";
import { bootSuite } from "./store/boot.ts";
import { commitSuite } from "./store/commit.ts";
import { deferring, eitherThread, ownThread } from "./store/database.ts";
import { historySuite } from "./store/history.ts";
import { listsSuite } from "./store/lists.ts";
import { removalSuite } from "./store/removal.ts";
import { spendSuite } from "./store/spend.ts";
import { storedSuite } from "./store/stored.ts";
import { threadsSuite } from "./store/threads.ts";

describe("SQLite, with a redo log of every commit", () => {
  describe("commit", () => commitSuite(deferring));
  describe("history", () => historySuite(deferring));
  describe("removal", () => removalSuite(deferring));
  describe("lists", () => listsSuite(deferring));
  describe("stored", () => storedSuite(deferring));
  describe("boot", () => bootSuite(deferring));
  describe("spend", () => spendSuite(deferring));
});

describe("SQLite, written by two threads in turn", () => {
  describe("commit", () => commitSuite(eitherThread));
  describe("spend", () => spendSuite(eitherThread));
  describe("stored", () => storedSuite(eitherThread));
  describe("threads", () => threadsSuite(ownThread));
});
