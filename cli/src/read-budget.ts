// A budget as one word: usd=0.50,tokens=200k,toolCalls=20,wall=10m

import { readCount, readDurationMs, type Budget } from "@aos/protocol/words";
import { readLimits, type LimitReaders } from "./read-limits.ts";

const limits: LimitReaders<Budget> = {
  usd: (text) => ({ usd: readUsd(text) }),
  tokens: (text) => ({ tokens: readCount(text) }),
  toolCalls: (text) => ({ toolCalls: readCount(text) }),
  wall: (text) => ({ wallMs: readDurationMs(text) }),
};

const OPTION = { name: "--budget", example: "usd=0.50,tokens=200k,toolCalls=20,wall=10m" };

export const readBudget = (text: string): Budget => readLimits(text, limits, OPTION);

function readUsd(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new Error(`"${text}" is not an amount of dollars`);
}
