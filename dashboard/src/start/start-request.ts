// What is asked of the daemon by the form, and the same as a command.

import { SysError, type Json, type OperationArgs } from "@aos/protocol/words";
import { readJson } from "../parts/read-json.ts";

export interface StartChoices {
  /** It stays, and answers one message after another. */
  readonly stays: boolean;
  readonly isJson: boolean;
  /** The most that it may spend; empty for no limit but its manifest's. */
  readonly usd: string;
}

export function startRequest(
  agent: string,
  input: string,
  { stays, isJson, usd }: StartChoices,
): OperationArgs<"spawn"> {
  const most = Number(usd);
  if (usd.trim() !== "" && !(most >= 0))
    throw new SysError("EINVAL", `${usd} is not an amount of money`, { hint: "for instance 0.50" });
  const value: Json = isJson ? readJson(input) : input;
  return {
    agent,
    ...(stays ? { persistent: true } : { input: value }),
    ...(usd.trim() === "" ? {} : { budget: { usd: most } }),
  };
}

export function commandOf(
  agent: string,
  input: string,
  { stays, isJson, usd }: StartChoices,
): string {
  const budget = usd.trim() === "" ? "" : ` -b usd=${usd.trim()}`;
  if (stays) return `aos chat ${agent}${budget}`;
  if (input === "") return `aos run ${agent}${budget}`;
  return `aos run ${agent} ${isJson ? "--input-json " : ""}${quoted(input)}${budget}`;
}

/** For a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
