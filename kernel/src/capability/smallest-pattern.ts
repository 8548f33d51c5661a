// The smallest pattern that covers one resource: the resource itself, with a `*` for what a
// pattern cannot spell (a file called `a[1].txt` becomes `a*1*.txt`).
//
//   smallestPattern(target)    without the port of a web page: http and https alike
//   exactPattern(target)       with the port, where it is known: https stays https

import { isUsualPort } from "./host-pattern.ts";
import { isWritable, MAX_STARS } from "./path-pattern.ts";
import type { PatternTarget } from "./pattern.ts";

export function smallestPattern(target: PatternTarget): string {
  return patternOf(target, (port) => !isUsualPort(port));
}

export function exactPattern(target: PatternTarget): string {
  return patternOf(target, (port) => port !== 0);
}

function patternOf(target: PatternTarget, isShown: (port: number) => boolean): string {
  if (target.shape === "name") return spell(target.name, ", ", null);
  if (target.shape === "path") return spellPath(target.path, "");
  const { host, port, path } = target.host;
  return `${host}${isShown(port) ? `:${port}` : ""}${spellPath(path, ", ")}`;
}

function spellPath(path: readonly string[], extra: string): string {
  return `/${path.map((segment) => spell(segment, extra, "*")).join("/")}`;
}

/** `tooMany` replaces a text with more stars than a pattern may have; null cuts it at the first. */
function spell(text: string, extra: string, tooMany: string | null): string {
  let spelled = "";
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    const edge = character === " " && (at === 0 || at === text.length - 1);
    const plain = character !== "*" && !edge && isWritable(character, extra);
    if (plain) spelled += character;
    else if (!spelled.endsWith("*")) spelled += "*";
  }
  if (spelled.split("*").length - 1 <= MAX_STARS) return spelled;
  return tooMany ?? `${spelled.slice(0, spelled.indexOf("*"))}*`;
}
