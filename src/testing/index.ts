/** Public entry point `tamshai/testing`: the contract suite, a test server and a test client, for authors of domains. */
export type { ContractOptions, ContractSuite } from './contract-suite.ts';
export { contractSuite } from './contract-suite.ts';
export type { ContractCase } from './contract/subject.ts';
export type { CallResult, Reply, RpcReply, TestClient, TestClientOptions, TokenOptions } from './test-client.ts';
export { connectTestClient } from './test-client.ts';
export type { TestConfig } from './test-config.ts';
export type { TestServer, TestServerClock, TestServerOptions } from './test-server.ts';
export { openTestServer } from './test-server.ts';
export type { Endpoint, Outcome, Who } from './tool-caller.ts';
export { SURFACES, ToolCaller } from './tool-caller.ts';
