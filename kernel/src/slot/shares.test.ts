import { expect, test } from "vitest";
import { FairQueue, type QueueEntry } from "./fair-queue.ts";
import { Shares } from "./shares.ts";

let order = 0;
const ticket = (tenant: string, dueAt = 0): QueueEntry => ({
  rank: -1,
  tenant,
  dueAt,
  order: order++,
});

/** A provider where each request uses 1 token, and is over when the test says so. */
function provider() {
  const shares = new Shares();
  const lineUps = [new FairQueue<QueueEntry>(shares), new FairQueue<QueueEntry>(shares)] as const;
  const ask = (tenant: string, times: number, at: 0 | 1 = 0) => {
    for (let n = 0; n < times; n++) lineUps[at].add(ticket(tenant));
  };
  /** Lets the next one in; returns how to end it. */
  const begin = (at: 0 | 1 = 0, expected = 1) => {
    const { share, tickets } = lineUps[at].first!;
    lineUps[at].remove(tickets.first!);
    const charge = shares.begin(share, expected, 1);
    return { tenant: share.tenant, end: (tokens?: number) => shares.end(share, charge, tokens) };
  };
  const serve = (times: number) =>
    Array.from({ length: times }, () => {
      const { tenant, end } = begin();
      end();
      return tenant;
    }).join("");
  return { shares, ask, begin, serve, lineUps };
}

test("SHARES-1: tenants take turns", () => {
  const { ask, serve } = provider();
  ask("a", 6);
  ask("b", 3);

  expect(serve(9)).toBe("abababaaa");
});

test("SHARES-2: who was idle gains one round by it, however long it was", () => {
  const { ask, begin, serve } = provider();
  ask("a", 200);
  ask("b", 1);
  begin(); // of a; it lasts
  serve(100);

  ask("b", 20);

  expect(serve(10)).toMatch(/^b{2,3}(ab){3}a?b?$/);
});

test("SHARES-2: it is owed what the others have in service, and as much again", () => {
  const { ask, begin } = provider();
  ask("a", 100);
  let running = [begin(), begin(), begin(), begin()];
  const next = () => {
    running.shift()!.end();
    running = [...running, begin()];
    return running.at(-1)!.tenant;
  };
  for (let n = 0; n < 20; n++) next();

  ask("b", 20);

  expect(Array.from({ length: 10 }, next).join("")).toMatch(/^b{8}(ab|ba)$/);
});

test("SHARES-1: what was used in place of what was expected counts, at every model of the provider", () => {
  const { ask, begin, lineUps } = provider();
  ask("a", 5);
  ask("a", 5, 1);
  ask("b", 5);
  ask("b", 5, 1);
  const first = begin();
  expect(first.tenant).toBe("a");

  first.end(10);

  expect(lineUps.map((lineUp) => lineUp.first!.share.tenant)).toEqual(["b", "b"]);
  const turns = Array.from({ length: 4 }, () => {
    const { tenant, end } = begin(1);
    end();
    return tenant;
  });
  expect(turns).toEqual(["b", "b", "b", "b"]);
});

test("using less than was expected gives no credit beyond where the others are", () => {
  const { ask, begin, serve } = provider();
  ask("a", 1);
  const cheap = begin();
  ask("b", 100);
  serve(50);

  cheap.end(0);
  ask("a", 20);

  expect(serve(10)).toMatch(/^a{1,2}(ba){4}b?$/);
});

test("using less than was expected gives no credit to a tenant that has been waiting all the time", () => {
  const { ask, begin, serve } = provider();
  ask("a", 20);
  const dear = begin(0, 50);
  ask("b", 100);
  serve(40);

  dear.end(0);

  expect(serve(10)).toMatch(/^a{1,2}(ba){4}b?$/);
});

test("of tenants that have had the same, the one with the earliest deadline is next", () => {
  const [lineUp] = provider().lineUps;
  const soonest = ticket("b", 1);
  lineUp.add(ticket("a", 5));
  lineUp.add(ticket("b", 10));
  expect(lineUp.first?.share.tenant).toBe("a");

  lineUp.add(soonest);
  expect(lineUp.first?.share.tenant).toBe("b");

  lineUp.remove(soonest);
  expect(lineUp.first?.share.tenant).toBe("a");
});

test("SHARES-3: where nobody waits and nothing runs, all are equal again", () => {
  const { ask, serve, shares } = provider();
  ask("a", 50);
  serve(50);

  ask("a", 2);
  ask("b", 2);

  expect(serve(4)).toBe("abab");
  expect(shares.of("a").used).toBe(0);
});

test("a line-up knows all that wait, and is empty when they have left", () => {
  const { lineUps } = provider();
  const [lineUp] = lineUps;
  const tickets = ["a", "b", "a"].map((tenant) => ticket(tenant));
  for (const one of tickets) lineUp.add(one);
  expect(new Set(lineUp.all())).toEqual(new Set(tickets));
  expect(lineUp.size).toBe(3);

  for (const one of tickets) lineUp.remove(one);

  expect(lineUp.size).toBe(0);
  expect(lineUp.first).toBeUndefined();
});
