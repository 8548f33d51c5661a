import { describe, expect, test } from "vitest";
import command from "./ps.ts";

/** So many processes, newest first, listed as the daemon does. */
function listing(count: number) {
  const pids = Array.from(
    { length: count },
    (_, at) => `agt_${String(count - at).padStart(6, "0")}`,
  );
  const asked: object[] = [];
  const list = async (query: { limit: number; before?: string }) => {
    asked.push(query);
    const { limit, before } = query;
    return pids
      .filter((pid) => before === undefined || pid < before)
      .slice(0, limit)
      .map(infoOf);
  };
  return { asked, list, pids };
}

const infoOf = (pid: string) => ({
  pid,
  agent: "a",
  state: "completed",
  waitingOn: null,
  exitCode: 0,
  costUsd: 0,
  startedAt: new Date(0).toISOString(),
});

async function ps(count: number, given: Record<string, string | true>) {
  const { list, asked, pids } = listing(count);
  const notes: string[] = [];
  let data: { pid: string }[] = [];
  const out = {
    format: "json",
    note: (text: string) => notes.push(text),
    data: async (value: { pid: string }[]) => {
      data = value;
    },
  };
  const options = {
    text: (name: string) => (typeof given[name] === "string" ? given[name] : undefined),
    flag: (name: string) => given[name] === true,
  };
  await command({ client: { list }, options, out, args: [] } as never);
  return { notes, listed: data.map(({ pid }) => pid), asked, pids };
}

describe("aos ps", () => {
  test("says how to get the next page, and that page has what follows", async () => {
    const first = await ps(12, { all: true, limit: "5" });
    expect(first.notes).toEqual([`5 listed; for more: aos ps -a -n 5 --after ${first.listed[4]}`]);

    const second = await ps(12, { all: true, limit: "5", after: first.listed[4]! });
    const third = await ps(12, { all: true, limit: "5", after: second.listed[4]! });

    expect([...first.listed, ...second.listed, ...third.listed]).toEqual(first.pids);
    expect(third.notes).toEqual([]);
  });

  test("names the limit where more is asked for than one list has", async () => {
    const { listed, notes, asked } = await ps(10_001, { all: true, limit: "100000" });

    expect(listed.length).toBe(10_000);
    expect(asked[0]).toMatchObject({ limit: 10_000 });
    expect(notes).toEqual([
      `10000 listed (at most 10000 at once); for more: aos ps -a -n 10000 --after ${listed.at(-1)}`,
    ]);
  });

  test("asks once, for one more than it lists", async () => {
    const { asked, listed, notes } = await ps(2000, {});

    expect(asked).toEqual([{ limit: 1001, states: "pending,running,waiting,paused" }]);
    expect(listed.length).toBe(1000);
    expect(notes[0]).toContain("1000 listed; for more");
  });

  test("says nothing where that was all", async () => {
    expect((await ps(5, { limit: "5", state: "failed" })).notes).toEqual([]);
    expect((await ps(0, {})).notes).toEqual([]);
    expect((await ps(6, { limit: "5", state: "failed" })).notes[0]).toContain(
      "aos ps --state failed -n 5 --after",
    );
  });
});
