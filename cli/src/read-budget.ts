// A budget as one word: usd=0.50,tokens=200k,toolCalls=20,wall=10m

import { readCount, readDurationMs, SysError, type Budget } from "@aos/protocol/words";

const limits: Readonly<Record<string, (text: string) => Budget>> = {
  usd: (text) => ({ usd: readUsd(text) }),
  tokens: (text) => ({ tokens: readCount(text) }),
  toolCalls: (text) => ({ toolCalls: readCount(text) }),
  wall: (text) => ({ wallMs: readDurationMs(text) }),
};

export function readBudget(text: string): Budget {
  return Object.assign({}, ...text.split(",").map(readLimit)) as Budget;
}

function readLimit(part: string): Budget {
  const [name = "", value = ""] = part.split("=", 2).map((word) => word.trim());
  const read = Object.hasOwn(limits, name) ? limits[name] : undefined;
  if (read === undefined) throw refusal(`there is no limit ${JSON.stringify(name)}`);
  try {
    return read(value);
  } catch (error) {
    throw refusal(`${name}: ${(error as Error).message}`);
  }
}

function readUsd(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not an amount of dollars`);
}

const refusal = (problem: string): SysError =>
  new SysError("EINVAL", `--budget: ${problem}`, {
    hint: "write it like usd=0.50,tokens=200k,toolCalls=20,wall=10m",
  });
