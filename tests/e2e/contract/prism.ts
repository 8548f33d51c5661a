// Prism: somebody else's reading of our document, put between a client and the daemon. It answers a request
// that the document does not allow, or an answer that it does not allow, with a complaint of its own.
//
//   strict    also requests are held to the document
//   lenient   requests pass as they are: for those that the daemon is to refuse

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { peerCommand } from "../../peers/peer.ts";

export const noPrism = peerCommand("prism") === undefined;

export interface Prism {
  readonly url: string;
  close(): Promise<void>;
}

export async function startPrism(
  document: object,
  options: { file: string; upstream: string; isStrict: boolean },
): Promise<Prism> {
  writeFileSync(options.file, JSON.stringify(document));
  const words = ["proxy", options.file, options.upstream, "--errors", "-h", "127.0.0.1", "-p", "0"];
  const more = options.isStrict ? [] : ["--no-validate-request"];
  const child = spawn(peerCommand("prism")!, [...words, ...more], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { url: await addressOf(child), close: () => ended(child) };
}

async function addressOf(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! });
  const said: string[] = [];
  for await (const line of lines) {
    const url = /Prism is listening on (http:\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout!.resume(); // what it says from here on is nobody's
      return url;
    }
    said.push(line);
  }
  throw new Error(`prism did not start:\n${said.join("\n")}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, "exit");
  child.kill("SIGKILL");
  await over;
}

/** What prism has to say, where the answer is its own. */
export function complaintOf(response: Response, text: string): string | undefined {
  if (response.headers.has("sl-violations")) return response.headers.get("sl-violations")!;
  return text.includes("stoplight.io/prism/errors") ? text : undefined;
}
