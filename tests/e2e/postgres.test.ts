// The same daemon on PostgreSQL.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tryPostgres } from "../helpers/postgres.ts";
import { createTestHome, type TestHome } from "./home.ts";

const server = await tryPostgres();

describe.skipIf("missing" in server)("a daemon on PostgreSQL", () => {
  let home: TestHome;
  let url: string;

  beforeAll(async () => {
    if ("missing" in server) return;
    ({ url } = await server.createDatabase());
    home = createTestHome({ AOS_DATABASE_URL: url });
  });
  afterAll(async () => {
    await home.remove();
    if ("stop" in server) await server.stop();
  });

  test("AOS_DATABASE_URL puts everything there, and the password is shown nowhere", async () => {
    const ran = await home.aos("run", "examples/hello", "hi");
    const status = await home.aos("status", "-o", "json");

    expect(ran.stdout).toContain("Hello!");
    expect(status.json()).toMatchObject({ states: { completed: 1 } });
    expect(status.stdout).not.toContain(new URL(url).password);
  });

  test("a server that does not answer is named, and nothing is left running", async () => {
    const other = createTestHome({ AOS_DATABASE_URL: "postgres://aos:secret@127.0.0.1:1/aos" });

    const ran = await other.aos("up", "-d");

    expect(ran.stderr).toMatch(/^aos: .*127\.0\.0\.1.*\nhint: /);
    expect(ran.stderr).not.toContain("secret");
    expect(ran.code).toBe(1);
    other.spoilt = true; // there is no server to ask
    await other.remove();
  });
});
