// ReadDraft: one message of a person at the terminal.
//
// READ-DRAFT-1  A line that ends with a backslash goes on in the next. Lines that are pasted together are one message.
// READ-DRAFT-2  Ctrl-C clears what is typed; with nothing typed, or at the end of input, the person leaves.

import { createInterface } from "node:readline";

const PASTE_MS = 40;

/** Undefined where the person leaves. `history` has the latest first, and gets what is typed. */
export function readDraft(prompt: string, history: string[]): Promise<string | undefined> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: true,
    prompt,
    history: [...history],
  });
  return new Promise((resolve) => {
    let typed: string[] = [];
    let paste: NodeJS.Timeout | undefined;
    const end = (text: string | undefined) => {
      clearTimeout(paste);
      lines.off("close", leave);
      lines.close();
      if (text !== undefined && text.trim() !== "") history.unshift(text);
      resolve(text);
    };
    const leave = () => {
      process.stderr.write("\n");
      end(undefined);
    };
    lines.on("line", (line) => {
      clearTimeout(paste);
      if (line.endsWith("\\")) {
        typed.push(line.slice(0, -1));
        lines.setPrompt("... ");
        return lines.prompt();
      }
      typed.push(line);
      paste = setTimeout(() => end(typed.join("\n")), PASTE_MS); // READ-DRAFT-1
    });
    lines.on("SIGINT", () => {
      if (lines.line === "" && typed.length === 0) return leave(); // READ-DRAFT-2
      typed = [];
      process.stderr.write("\n");
      lines.write(null, { ctrl: true, name: "u" });
      lines.setPrompt(prompt);
      lines.prompt();
    });
    lines.once("close", leave);
    lines.prompt();
  });
}
