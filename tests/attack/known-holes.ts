// Attacks that get through today, and why. Each is a test that is expected to fail: when the hole is
// closed the test says so, and its line here goes.

export const knownHoles: Readonly<Record<string, string>> = {};
