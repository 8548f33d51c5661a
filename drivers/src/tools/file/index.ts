// Files of this machine: the tools, and the one way that tools open files.

export { fileAppend, fileList, fileRead, fileRemove, fileWrite } from "./file-tools.ts";
