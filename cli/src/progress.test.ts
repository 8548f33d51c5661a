import { expect, test } from "vitest";
import { progressLine, startProgress } from "./progress.ts";
import { shownWidth } from "./shown-width.ts";

/** A terminal with a clock that the test moves. */
function fakeScreen({ isTTY = true, columns = 80 } = {}) {
  let written = "";
  let nowMs = 0;
  let ticks: (() => void)[] = [];
  return {
    isTTY,
    columns,
    write: (text: string) => void (written += text),
    nowMs: () => nowMs,
    every(_ms: number, tick: () => void) {
      ticks.push(tick);
      return () => void (ticks = []);
    },
    pass(ms: number) {
      nowMs += ms;
      for (const tick of ticks) tick();
    },
    get written() {
      return written;
    },
  };
}

const text = { format: "text" } as const;

test("PROGRESS-1: nothing is written to what is no terminal, nor with -o json", () => {
  const piped = fakeScreen({ isTTY: false });
  const asked = fakeScreen();

  for (const progress of [
    startProgress(text, "audit", { screen: piped }),
    startProgress({ format: "json" }, "audit", { screen: asked }),
  ]) {
    progress.at(1, 2);
    piped.pass(5000);
    asked.pass(5000);
    progress.stop();
  }

  expect(piped.written + asked.written).toBe("");
});

test("PROGRESS-2: work that is over within a second shows nothing", () => {
  const screen = fakeScreen();
  const progress = startProgress(text, "audit", { screen });

  progress.at(1, 2);
  screen.pass(999);
  progress.stop();

  expect(screen.written).toBe("");
});

test("PROGRESS-2: longer work has a bar, a rate, what is left, and a line in the end", () => {
  const screen = fakeScreen({ columns: 120 });
  const progress = startProgress(text, "audit", { unit: "records", screen });

  progress.at(500, 2000, "agt_1");
  screen.pass(2000);
  const shown = screen.written;
  progress.at(2000, 2000);
  screen.pass(2000);
  progress.stop();
  screen.pass(2000);

  expect(shown).toContain(
    "audit  ━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌   25%  500 of 2,000 records  250/s  6s left  agt_1",
  );
  expect(screen.written.endsWith("audit  2,000 records  500/s  4.0s\n")).toBe(true);
});

test("PROGRESS-3: no line is wider than its terminal", () => {
  for (const columns of [20, 40, 80]) {
    const work = { what: "ingest", unit: "files", done: 7, total: 9, detail: "漢字/".repeat(40) };
    expect(shownWidth(progressLine(work, 3000, columns))).toBeLessThan(columns);
  }
});

test("PROGRESS-4: where nothing is counted, the seconds are", () => {
  expect(progressLine({ what: "testing m", unit: "", done: 0 }, 3000, 80)).toBe("testing m  3s");
});

test("bytes are written for people", () => {
  const work = { what: "backup", unit: "bytes", done: 12_345_678 };
  expect(progressLine(work, 2000, 80)).toBe("backup  12.3 MB  6.2 MB/s");
});
