// The address of the next page of a cut list: `Link: <…>; rel="next"`.

import {
  isFullPage,
  type DeadLetter,
  type JournalRecord,
  type OperationName,
  type ProcessInfo,
  type Question,
} from "@aos/protocol";

/** How each list goes on after its last. */
const cursors: Partial<Record<OperationName, (last: never) => [name: string, value: string]>> = {
  list: ({ pid }: ProcessInfo) => ["before", pid],
  journal: ({ seq }: JournalRecord) => ["after", String(seq)],
  questions: ({ id }: Question) => ["after", id],
  deadLetters: ({ id }: DeadLetter) => ["before", id],
};

export const mayBeCut = (name: OperationName): boolean => cursors[name] !== undefined;

export function linkToNext(
  response: Response,
  name: OperationName,
  url: string,
  args: { readonly limit?: unknown },
  answered: unknown,
): void {
  const cursor = cursors[name];
  if (cursor === undefined || !Array.isArray(answered) || answered.length === 0) return;
  if (!isFull(name, answered, args.limit)) return;
  const { pathname, searchParams } = new URL(url);
  const [parameter, value] = cursor(answered.at(-1) as never);
  searchParams.set(parameter, value);
  response.headers.set("link", `<${pathname}?${searchParams.toString()}>; rel="next"`);
}

function isFull(name: OperationName, answered: readonly unknown[], limit: unknown): boolean {
  const most = typeof limit === "number" ? limit : undefined;
  if (name === "questions") return isFullPage(answered as readonly Question[], most);
  return most !== undefined && answered.length >= most;
}
