/** The public part of the MCP transport. */
export { LEGACY, MODERN } from './client-info.ts';
export { Exchange } from './exchange.ts';
export { createMcpTransport, type McpHandler } from './handler.ts';
export type { McpResources, Reference, ResourceCall } from './mcp-resources.ts';
export { MCP_LIMITS, type McpFeature, type McpLimits, type McpOptions } from './options.ts';
export type { TicketView, ToolCall, ToolListing } from './tool-call.ts';
