// Words: the part of the protocol without schemas, which loads quickly, for the command line and the client. Everyone
// else imports the whole.

export * from "./causes.ts";
export * from "./doctor.ts";
export * from "./failures.ts";
export * from "./helper-programs.ts";
export * from "./ids.ts";
export * from "./json.ts";
export * from "./known-providers.ts";
export * from "./label.ts";
export * from "./lane.ts";
export * from "./nearest.ts";
export type * from "./operations/index.ts";
export * from "./process.ts";
export * from "./quantity.ts";
export * from "./record.ts";
export * from "./recorded-verdict.ts";
export * from "./question-page.ts";
export * from "./role.ts";
export * from "./routes.ts";
export * from "./signals.ts";
export * from "./socket-path.ts";
export * from "./visible-text.ts";
