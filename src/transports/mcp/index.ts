export { Exchange } from './exchange.ts';
export { type McpHandler, createMcpTransport as mcpHandler } from './handler.ts';
export { LEGACY, MODERN } from './fast-path.ts';
export type { McpResources, ResourceCall, Reference } from './resources.ts';
export {
  MCP_LIMITS,
  type McpFeature,
  type McpLimits,
  type McpOptions,
  type TicketView,
  type ToolCall,
  type ToolListing,
} from './options.ts';
