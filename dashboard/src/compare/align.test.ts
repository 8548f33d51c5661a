import type { JournalRecord } from "@aos/protocol/words";
import { describe, expect, test } from "vitest";
import { timelineOf } from "../run/timeline.ts";
import { align } from "./align.ts";

const call = (seq: number, name: string, ok: unknown = null) =>
  ({
    kind: "call",
    seq,
    at: seq,
    cause: 0,
    n: seq,
    call: name,
    args: { of: name },
    ok,
  }) as never as JournalRecord;

const shown = (a: readonly JournalRecord[], b: readonly JournalRecord[]) =>
  align(timelineOf(a), timelineOf(b)).map(
    ({ a: left, b: right, isSame }) =>
      `${left?.name ?? "-"} ${right?.name ?? "-"} ${isSame ? "=" : "≠"}`,
  );

describe("two runs side by side", () => {
  test("are paired by what was called, and what one of them has alone stands alone (ALIGN-1)", () => {
    expect(
      shown([call(1, "a"), call(2, "b"), call(3, "d")], [call(1, "a"), call(2, "c"), call(3, "d")]),
    ).toEqual(["a a =", "b - ≠", "- c ≠", "d d ="]);
  });

  test("differ where the same call had another result (ALIGN-2)", () => {
    expect(shown([call(1, "a", 1)], [call(1, "a", 2)])).toEqual(["a a ≠"]);
  });

  test("may be of different length, or empty", () => {
    expect(shown([], [call(1, "a")])).toEqual(["- a ≠"]);
    expect(shown([call(1, "a"), call(2, "a")], [call(1, "a")])).toEqual(["a a =", "a - ≠"]);
  });
});
