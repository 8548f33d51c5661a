import { describe, expect, test } from "vitest";
import { firstStep, grown, pressInStepper, type Stepper } from "./stepper.ts";
import {
  callRecord,
  processDetailForTest,
  startRecord,
} from "../../../tests/helpers/cli/moments.ts";

const records = [startRecord, callRecord(1), callRecord(2, { ok: "Needle" }), callRecord(3)];
const first = firstStep(processDetailForTest(), records);

const pressed = (step: Stepper, ...keys: string[]) =>
  keys.reduce<ReturnType<typeof pressInStepper>>((held, key) => pressInStepper(held.step, key), {
    step,
  });

describe("STEPPER-1: stepping", () => {
  test("begins at the last record and stays among those that there are", () => {
    expect(first.at).toBe(3);
    expect(pressed(first, "p").step.at).toBe(2);
    expect(pressed(first, "n").step).toMatchObject({ at: 3, word: "this is the last" });
    expect(pressed(first, "p", "p", "p", "up").step).toMatchObject({
      at: 0,
      word: "this is the first",
    });
    expect(pressed(first, "p", "p", "down").step.at).toBe(2);
  });

  test("each step is looked at anew, from its top", () => {
    const there = { ...first, moment: {} as never, text: "old", scroll: 10 };

    expect(pressInStepper(there, "p")).toMatchObject({
      step: { moment: undefined, text: "", scroll: 0 },
      act: { do: "look" },
    });
  });

  test("g goes to a record that is there, and says which there are", () => {
    expect(pressed(first, "g", "1", "enter")).toMatchObject({
      step: { at: 1 },
      act: { do: "look" },
    });
    expect(pressed(first, "g", "4", "enter").step).toMatchObject({
      at: 3,
      word: "the records are 0 to 3",
    });
    expect(pressed(first, "g", "x", "enter").step.at).toBe(3);
    expect(pressed(first, "g", "enter").step.at).toBe(3);
  });

  test("/ finds what a record has, in any case, around the end, and again", () => {
    const found = pressed(first, "/", "n", "e", "e", "d", "l", "E", "enter");
    expect(found).toMatchObject({ step: { at: 2, sought: "needlE" }, act: { do: "look" } });
    expect(pressed(found.step, "p", "/", "enter").step.at).toBe(2);
    expect(pressed(first, "/", "z", "z", "enter").step).toMatchObject({
      at: 3,
      word: "no record contains zz",
    });
    expect(pressed(first, "/", "enter")).toEqual({ step: first });
  });
});

describe("STEPPER-3: typing", () => {
  test("keys are letters while something is typed; Back takes one, Escape all", () => {
    expect(pressed(first, "/", "q", "😀", "up", "back", "y").step.typing?.text).toBe("qy");
    expect(pressed(first, "/", "q", "escape").step.typing).toBeNull();
    expect(pressed(first, "/", "stop").act).toEqual({ do: "quit" });
  });
});

describe("STEPPER-2: beginning", () => {
  test("a fork is begun where one stands, after a yes", () => {
    const asking = pressed(first, "p", "f");

    expect(asking.act).toBeUndefined();
    expect(asking.step.asking).toEqual({ do: "fork", at: 2 });
    expect(pressInStepper(asking.step, "Y").act).toEqual({
      do: "begin",
      what: { do: "fork", at: 2 },
    });
    for (const key of ["n", "q", "enter", "f", "escape"]) {
      expect(pressInStepper(asking.step, key)).toEqual({ step: { ...asking.step, asking: null } });
    }
  });

  test("y alone begins nothing", () => {
    expect(pressInStepper(first, "y").act).toBeUndefined();
  });
});

test("the panes come and go by their keys", () => {
  expect(pressInStepper(first, "c")).toMatchObject({
    step: { pane: "context" },
    act: { do: "look" },
  });
  expect(pressInStepper(first, "w").step.pane).toBe("why");
  expect(pressInStepper(first, "d").step.pane).toBe("core");
  expect(pressed(first, "w", "w").step.pane).toBe("record");
});

test("what is long is scrolled, and not above its top", () => {
  expect(pressed(first, " ", "page-down").step.scroll).toBe(20);
  expect(pressed(first, " ", "page-up", "page-up").step.scroll).toBe(0);
});

test("e, r and q are for others to do", () => {
  expect(pressInStepper(first, "e").act).toEqual({ do: "edit" });
  expect(pressInStepper(first, "r").act).toEqual({ do: "replay" });
  expect(pressInStepper(first, "q").act).toEqual({ do: "quit" });
});

test("what it does meanwhile is added; one stays where one stands", () => {
  const more = grown(first, processDetailForTest({ state: "completed" }), [callRecord(4)]);

  expect(more).toMatchObject({ at: 3, process: { state: "completed" } });
  expect(pressInStepper(more, "n").step.at).toBe(4);
});
