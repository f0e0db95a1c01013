// A program for a host that runs TypeScript. The gateway keeps its path, and reads it only when it is requested.
export default { steps: ["build", "test"] };
