export { runCommandLine } from "./run.ts";
