@contract
Feature: Deliveries in the formats of different senders

  Rule: A payment service puts the time and signatures into one header

    Scenario: one of two keys is correct, and the type is in the body
      Given the event hook "pay" with '{"manifest": "payment_service", "key": "key-of-payments"}'
      And a delivery of '{"id": "evt_7", "type": "charge.refunded"}' as "application/json"
      And its signature over "{time}." and the body is noted as "sig", with the key "key-of-payments"
      When it is delivered to "{ingest}" with the headers:
        | Stripe-Signature | t={time},v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd,v1={sig} |
      Then it became an event "pay.charge.refunded" with '{"body":{"id":"evt_7","type":"charge.refunded"},"query":{}}'
      When it is delivered to "{ingest}" with the headers:
        | Stripe-Signature | t={time},v1={sig} |
      Then "event_id" of the answer is "{event}"
      When it is delivered to "{ingest}" with the headers:
        | Stripe-Signature | t={time},v0={sig} |
      Then the answer is 401 with code "signature_invalid"
      When it is delivered to "{ingest}" with the headers:
        | Stripe-Signature | v1={sig} |
      Then the answer is 401 with code "signature_invalid"
      And "detail" of the answer matches "Stripe-Signature"

  Rule: Invalid event types are renamed as the manifest specifies

    Scenario: a shop's topics contain slashes
      Given the event hook "shop" with '{"manifest": "storefront", "key": "test-webhook-secret"}'
      And a delivery of '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}' as "application/json"
      When it is delivered to "{ingest}" with the headers:
        | X-Shopify-Hmac-Sha256 | QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw= |
        | X-Shopify-Topic       | orders/create                                |
        | X-Shopify-Webhook-Id  | b54557e4                                     |
      Then it became an event "shop.orders.create" with '{"body":{"id":1234567890,"email":"customer@example.com","total_price":"123.45"},"query":{}}'

    Scenario: a forge sends a token and types of several words, and is not trusted
      Given the event hook "git" with '{"manifest": "forge_c", "key": "token-of-forge-c"}'
      And a delivery of '{"object_kind": "push"}' as "application/json"
      When it is delivered to "{ingest}" with the headers:
        | X-Gitlab-Token  | token-of-forge-c |
        | X-Gitlab-Event  | Push Hook        |
        | Idempotency-Key | one              |
      Then it became an event "git.push-hook" with '{"body":{"object_kind":"push"},"query":{}}'
      When I send "GET" to "{scoped}/events/{event}"
      Then "trusted" of the answer is "false"
      When it is delivered to "{ingest}" with the headers:
        | X-Gitlab-Token | token-of-forge |
        | X-Gitlab-Event | Push Hook      |
      Then the answer is 401 with code "signature_invalid"
      When it is delivered to "{ingest}" with the headers:
        | X-Gitlab-Event | Push Hook |
      Then the answer is 401 with code "signature_invalid"
      And "detail" of the answer matches "X-Gitlab-Token header is missing"

  Rule: A sender that verifies the address gets the response it expects

    Scenario: a team chat verifies the address
      Given the event hook "chat" with '{"manifest": "team_chat", "key": "key-of-the-chat"}'
      And a delivery of '{"type": "url_verification", "challenge": "3eZbrw1aBm2rZgRNFdxV"}' as "application/json"
      And its signature over "v0:{time}:" and the body is noted as "sig", with the key "key-of-the-chat"
      When it is delivered to "{ingest}" with the headers:
        | X-Slack-Request-Timestamp | {time}   |
        | X-Slack-Signature         | v0={sig} |
      Then the answer is 200
      And the answer is the text "3eZbrw1aBm2rZgRNFdxV"
      And the project has 0 events of type "chat.url_verification"
      When it is delivered to "{ingest}" with the headers:
        | X-Slack-Request-Timestamp | {time}      |
        | X-Slack-Signature         | v0=00{sig}  |
      Then the answer is 401 with code "signature_invalid"

    Scenario: chat activity becomes events named after the inner type
      Given the event hook "chat" with '{"manifest": "team_chat", "key": "key-of-the-chat"}'
      And a delivery of '{"type": "event_callback", "event_id": "Ev1", "event": {"type": "app_mention"}}' as "application/json"
      And its signature over "v0:{time}:" and the body is noted as "sig", with the key "key-of-the-chat"
      When it is delivered to "{ingest}" with the headers:
        | X-Slack-Request-Timestamp | {time}   |
        | X-Slack-Signature         | v0={sig} |
      Then it became an event "chat.app_mention" with '{"body":{"type":"event_callback","event_id":"Ev1","event":{"type":"app_mention"}},"query":{}}'

  Rule: A sender can sign with its own key

    Scenario: the configured key must be a valid public key
      When I send "PUT" to "{scoped}/event-hooks/mail" with:
        """
        {"manifest": "mail_api", "key": "c2hhcmVkIGtleQ=="}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.message" of the answer matches "public key for ecdsa-sha256"
      Given a key pair noted as "key"
      And the event hook "mail" with '{"manifest": "mail_api", "key": "{key}"}'
      And a delivery of '[{"event": "bounce"}]' as "application/json"
      And it is signed with that pair over "{time}" and the body, noted as "sig"
      When it is delivered to "{ingest}" with the headers:
        | X-Twilio-Email-Event-Webhook-Timestamp | {time} |
        | X-Twilio-Email-Event-Webhook-Signature | {sig}  |
      Then it became an event "hook.mail" with '{"body":[{"event":"bounce"}],"query":{}}'
