// Files: what a write or a removal would have replaced, put together from the records of all processes.

import { readLabel } from "@aos/kernel";
import type { Label } from "@aos/protocol";
import type { Lives } from "./history.ts";
import { between, pastOf, type Past } from "./past.ts";

const TRUSTED: Label = { integrity: "trusted", secrecy: "public" };
const INTEGRITY: readonly string[] = ["trusted", "mixed", "untrusted"];
const SECRECY: readonly string[] = ["public", "internal", "confidential", "secret"];

/** The others are a process's own, or are shared with forks. */
const SHARED = /^\/mem\/(shared|semantic|episodic)\//;

/** No less trusted, no more secret and no more marked. */
const isNoWorse = (one: Label, other: Label): boolean =>
  INTEGRITY.indexOf(one.integrity) <= INTEGRITY.indexOf(other.integrity) &&
  SECRECY.indexOf(one.secrecy) <= SECRECY.indexOf(other.secrecy) &&
  (one.tags ?? []).every((tag) => other.tags?.includes(tag) === true);

/** Every change of this file that is known, by whoever made it. */
function changesOf(lives: Lives, path: string, tenant: string): Past[] {
  return [...lives.values()]
    .filter((life) => life.tenant === tenant)
    .flatMap((life) => [...pastOf(life)])
    .filter(
      ({ call, args, came }) =>
        ["write", "remove"].includes(call) &&
        came.err === undefined &&
        (args as { path?: string }).path === path,
    );
}

/** Surely before or after this one, in its own process or by the clock; undefined when nobody can say. */
function isBefore(other: Past, past: Past): boolean | undefined {
  if (other.life.pid === past.life.pid) return other.came.seq < past.begun.seq;
  if (other.came.at < between(past)[0]) return true;
  return between(other)[0] > past.came.at ? false : undefined;
}

/**
 * Does it put something worse in the place of what is there? Undefined where that is not known: several
 * wrote at once, a stream was added to, or not every journal is there.
 */
export function worsens(lives: Lives, past: Past, label: Label): boolean | undefined {
  const { path } = past.args as { path?: string };
  if (label.integrity === "trusted") return false; // then nobody looks
  if (path === undefined || !SHARED.test(path)) return undefined;
  const { tenant } = past.life;
  const others = changesOf(lives, path, tenant).filter(({ came }) => came !== past.came);
  const order = others.map((other) => isBefore(other, past));
  if (order.includes(undefined) || isStreamed(lives, path)) return undefined;
  const last = others
    .filter((_, i) => order[i] === true)
    .toSorted((a, b) => a.came.at - b.came.at || a.came.seq - b.came.seq)
    .at(-1);
  if (last === undefined || last.call === "remove") return false;
  const { stored } = last.came;
  return !isNoWorse(label, stored === undefined ? TRUSTED : readLabel(stored));
}

const isStreamed = (lives: Lives, path: string): boolean =>
  [...lives.values()].some(({ records }) =>
    records.some(
      (record) =>
        record.kind === "call" &&
        record.call === "open" &&
        (record.args as { path?: string }).path === path,
    ),
  );
