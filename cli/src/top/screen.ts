// Screen: takes over the whole terminal and restores it afterwards.

import { keysIn, type Key } from "./keys.ts";
import type { Size } from "./picture.ts";

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_REST_OF_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

export interface Screen {
  readonly size: Size;
  draw(lines: readonly string[]): void;
  close(): void;
}

export function openScreen(on: { key: (key: Key) => void; resize: () => void }): Screen {
  const { stdin, stdout } = process;
  // A character may come in two pieces.
  const decoder = new TextDecoder();
  const onData = (data: Buffer) => keysIn(decoder.decode(data, { stream: true })).forEach(on.key);
  const close = () => {
    process.off("exit", close);
    stdin.off("data", onData).pause();
    stdin.setRawMode(false);
    stdout.off("resize", on.resize);
    stdout.write(LEAVE);
  };
  stdout.write(ENTER);
  stdin.setRawMode(true);
  stdin.on("data", onData).resume();
  stdout.on("resize", on.resize);
  // Whatever ends us: a terminal in another state is of no use to anybody.
  process.once("exit", close);
  return {
    get size() {
      return { columns: stdout.columns, rows: stdout.rows };
    },
    draw: (lines) =>
      void stdout.write(
        HOME + lines.map((line) => line + CLEAR_REST_OF_LINE).join("\r\n") + CLEAR_BELOW,
      ),
    close,
  };
}
