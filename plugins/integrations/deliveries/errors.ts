import { defineError } from '../../../kernel/contracts/index.ts';

export const DeliveryErrors = {
  deliveryGone: defineError({
    code: 'delivery_gone',
    status: 409,
    title: 'The body of the delivery is not stored.',
    next: 'Ask the sender to deliver it again. Rejected deliveries are never stored; others are kept as long as their events.',
  }),
} as const;
