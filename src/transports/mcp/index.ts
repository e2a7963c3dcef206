export { Exchange } from './exchange.ts';
export { type McpHandler, mcpHandler } from './handler.ts';
export { LEGACY, MODERN } from './hot.ts';
export type { McpOffers, OfferCall, Reference } from './offers.ts';
export {
  MCP_LIMITS,
  type McpFeature,
  type McpLimits,
  type McpOptions,
  type TicketView,
  type ToolCall,
  type ToolListing,
} from './options.ts';
