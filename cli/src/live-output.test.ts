import type { OperationAnswer } from "@aos/protocol";
import { expect, test } from "vitest";
import { LiveOutput } from "./live-output.ts";

type Happening = OperationAnswer<"attach">;

const says = (text: string, n = 1, kind: "text" | "restart" | "reasoning" = "text"): Happening => ({
  progress: { kind, text, n },
});
const call = (seq: number, n: number, name = "infer"): Happening =>
  ({
    record: { kind: "call", seq, n, call: name, args: { model: "m", tool: "add" } },
  }) as unknown as Happening;
const end = { record: { kind: "end", seq: 9 } } as unknown as Happening;

function show(happenings: readonly Happening[], showsWords = true) {
  let shown = "";
  const live = new LiveOutput((text) => (shown += text), { showsWords });
  for (const happening of happenings) live.take(happening);
  return { rest: (result: string, isSame = true) => live.rest(result, isSame), shown: () => shown };
}

test("LIVE-OUTPUT-1: a result that was said stands there once, whole or with its rest", () => {
  const whole = show([says("Hello"), says(" you"), call(3, 1), end]);
  const part = show([says("Hello"), call(3, 1), end]);

  expect(whole.rest("Hello you")).toBe("\n");
  expect(whole.shown()).toBe("Hello you");
  expect(part.rest("Hello you")).toBe(" you\n");
});

test("LIVE-OUTPUT-1: elsewhere, and where another thing was said, the result is printed whole", () => {
  const piped = show([says("Hello"), call(3, 1)]);
  const other = show([says('{"answer":1}'), call(3, 1)]);

  expect(piped.rest("Hello", false)).toBe("Hello");
  expect(piped.shown()).toBe("Hello\n");
  expect(other.rest("1")).toBe("1");
  expect(other.shown()).toBe('{"answer":1}\n');
});

test("what is done is one line that goes; what is said before and after stays", () => {
  const { shown, rest } = show([
    says("Let me look."),
    call(3, 1),
    call(4, 2, "exec"),
    says("It is 4.", 3),
    call(5, 3),
    end,
  ]);

  expect(shown()).toBe("Let me look.\n4  runs add\r\u001b[2KIt is 4.");
  expect(rest("It is 4.")).toBe("\n");
});

test("what another try says begins on a line of its own, and is what counts", () => {
  const { shown, rest } = show([says("Hel"), says("", 1, "restart"), says("Hello")]);

  expect(shown()).toBe("Hel\nHello");
  expect(rest("Hello")).toBe("\n");
});

test("LIVE-OUTPUT-2: words do nothing to the terminal; without words only what is done is shown", () => {
  expect(show([says("a\u001b[2Jb")]).shown()).toBe("a\\u001b[2Jb");

  const quiet = show([says("Hello"), call(3, 1)], false);
  expect(quiet.shown()).toBe("3  asked the model m");
  expect(quiet.rest("Hello")).toBe("Hello");
});

test("LIVE-OUTPUT-3: a call from before the words that is recorded among them does not part them", () => {
  const { shown, rest } = show([says("The quick ", 2), call(3, 1, "receive"), says("fox", 2)]);

  expect(shown()).toBe("The quick fox");
  expect(rest("The quick fox")).toBe("\n");
});

test("LIVE-OUTPUT-4: words whose beginning was missed are not shown, and the result stands there once", () => {
  const late = show([
    { progress: { kind: "text", text: "lo you", n: 1, at: 3 } },
    { progress: { kind: "text", text: "!", n: 1, at: 9 } },
    call(3, 1),
    end,
  ]);

  expect(late.rest("Hello you!")).toBe("Hello you!");
  expect(late.shown()).not.toContain("lo you");
});

test("LIVE-OUTPUT-1: pieces that say where they begin are shown as they come", () => {
  const whole = show([
    says("Hello"),
    { progress: { kind: "text", text: " you", n: 1, at: 5 } },
    end,
  ]);

  expect(whole.rest("Hello you")).toBe("\n");
});

test("LIVE-OUTPUT-5: while it is paused nothing is written; what came is shown after that", () => {
  let shown = "";
  const live = new LiveOutput((text) => (shown += text), { showsWords: true });

  live.pause();
  live.take(says("Hello"));
  expect(shown).toBe("");
  live.resume();
  expect(shown).toBe("Hello");
});
