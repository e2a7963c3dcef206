/** Public entry point `tamshai/testing`: a test server, a test client and calls of every tool, for authors of domains. */
export type { CallResult, Reply, RpcReply, TestClient, TestClientOptions, TokenOptions } from './test-client.ts';
export { connectTestClient } from './test-client.ts';
export type { TestConfig } from './test-config.ts';
export type { TestServer, TestServerClock, TestServerOptions } from './test-server.ts';
export { openTestServer } from './test-server.ts';
export type { Endpoint, Outcome, Who } from './tool-caller.ts';
export { SURFACES, ToolCaller } from './tool-caller.ts';
