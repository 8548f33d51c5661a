import type { ProcessInfo, QueueReport } from "@aos/protocol/words";
import { describe, expect, test } from "vitest";
import { firstView, lookAgain, pressInTop, type ProcessSnapshot, type TopView } from "./view.ts";

const process = (pid: string, state: ProcessInfo["state"] = "running") =>
  ({ pid, state }) as ProcessInfo;

const lookAt = (...processes: ProcessInfo[]): ProcessSnapshot => ({
  atMs: 0,
  processes,
  ended: [process("z", "failed")],
  queue: {} as QueueReport,
  models: [],
});

const three = firstView(lookAt(process("a"), process("b"), process("c", "paused")));

const pressed = (view: TopView, ...keys: Parameters<typeof pressInTop>[1][]) =>
  keys.reduce<ReturnType<typeof pressInTop>>((held, key) => pressInTop(held.view, key), { view });

describe("TOP-VIEW-1: choosing", () => {
  test("arrows move between the first and the last", () => {
    expect(three.chosen).toBe("a");
    expect(pressed(three, "up").view.chosen).toBe("a");
    expect(pressed(three, "down").view.chosen).toBe("b");
    expect(pressed(three, "down", "down", "down", "down").view.chosen).toBe("c");
    expect(pressed(three, "down", "down", "up").view.chosen).toBe("b");
  });

  test("the chosen one stays chosen where it moves, and who stands in its place is when it is gone", () => {
    const second = pressed(three, "down").view;

    expect(lookAgain(second, lookAt(process("n"), process("a"), process("b"))).chosen).toBe("b");
    expect(lookAgain(second, lookAt(process("a"), process("c"))).chosen).toBe("c");
    expect(lookAgain(second, lookAt(process("a"))).chosen).toBe("a");
    expect(lookAgain(second, lookAt()).chosen).toBeNull();
    expect(lookAgain(firstView(lookAt()), lookAt(process("x"))).chosen).toBe("x");
  });
});

describe("TOP-VIEW-2: ending", () => {
  test("asks first; only y ends it", () => {
    const asking = pressed(three, "down", "k");

    expect(asking.act).toBeUndefined();
    expect(asking.view.ending).toBe("b");
    expect(pressInTop(asking.view, "Y").act).toEqual({ do: "kill", pid: "b" });
    for (const key of ["n", "q", "enter", "k", "escape", "other"] as const) {
      const no = pressInTop(asking.view, key);
      expect(no.act).toBeUndefined();
      expect(no.view.ending).toBeNull();
    }
  });

  test("y alone ends nothing, and one that is gone is no longer asked about", () => {
    expect(pressInTop(three, "y").act).toBeUndefined();
    const asking = pressInTop(three, "k").view;
    expect(lookAgain(asking, lookAt(process("b"))).ending).toBeNull();
  });
});

test("TOP-VIEW-2: what has ended is listed when asked for, and only looked at", () => {
  const all = pressInTop(three, "a").view;
  const last = pressed(all, "down", "down", "down").view;

  expect(pressed(three, "down", "down", "down").view.chosen).toBe("c");
  expect(last.chosen).toBe("z");
  for (const key of ["k", "p"]) {
    expect(pressInTop(last, key).act).toBeUndefined();
    expect(pressInTop(last, key).view).toMatchObject({
      ending: null,
      word: "z has ended; press w for the reason",
    });
  }
  expect(pressInTop(last, "enter").act).toEqual({ do: "show", pid: "z" });
  expect(pressInTop(last, "w").act).toEqual({ do: "why", pid: "z" });
  expect(pressInTop(last, "a").view.chosen).toBe("c");
});

test("p pauses what runs and lets what is paused go on", () => {
  expect(pressInTop(three, "p").act).toEqual({ do: "pause", pid: "a" });
  expect(pressed(three, "down", "down", "p").act).toEqual({ do: "resume", pid: "c" });
});

test("Enter shows one; any key goes back, but Ctrl-C leaves from anywhere", () => {
  expect(pressInTop(three, "enter").act).toEqual({ do: "show", pid: "a" });
  const shown = { ...three, detail: "pid: a" };
  expect(pressInTop(shown, "q")).toEqual({ view: three });
  expect(pressInTop(shown, "stop").act).toEqual({ do: "quit" });
  expect(pressInTop(pressInTop(three, "k").view, "stop").act).toEqual({ do: "quit" });
});

test("q leaves; with nothing to choose the other keys do nothing", () => {
  const none = firstView(lookAt());

  expect(pressInTop(three, "q").act).toEqual({ do: "quit" });
  for (const key of ["k", "p", "enter", "up", "down"] as const)
    expect(pressInTop(none, key)).toEqual({ view: none });
});
