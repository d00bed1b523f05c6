export { Attention, type AttentionItem, type AttentionSource } from '../../platform/resources/contract.ts';
