Feature: Connectors are documents

  Rule: A custom connector is a manifest of the same form, without code

    @own-server @configured @OVW-017 @MAN-001
    Scenario: a manifest is enough to accept signed deliveries
      Given a file "shop/manifest.json":
        """
        {
          "manifest": "svc-connector/v1",
          "name": "shop",
          "title": "Shop",
          "hook": {
            "signature": { "header": "X-Shop", "algorithm": "sha1", "encoding": "hex", "prefix": "s=" },
            "event_type": { "header": "X-Shop-Event" },
            "delivery_id": { "pointer": "/id" }
          }
        }
        """
      And a server and an agent of their own with:
        | SVC_CONNECTORS | {folder}/shop |
      And the event hook "sales" with '{"manifest": "shop", "key": "key-of-the-test"}'
      And a delivery of '{"id":4711}' as "application/json"
      And its sha1 HMAC with the key "key-of-the-test" is noted
      When it is delivered to "{ingest}" with the headers:
        | X-Shop       | s={hmac} |
        | X-Shop-Event | sold     |
      Then it became an event "sales.sold" with '{"body":{"id":4711},"query":{}}'
      When it is delivered to "{ingest}" with the headers:
        | X-Shop       | s={hmac} |
        | X-Shop-Event | sold     |
      Then "event_id" of the answer is "{event}"

    @program @OVW-017 @MAN-001 @MAN-008
    Scenario: a server does not start with an invalid manifest, and prints its file and position
      Given a master key noted as "key"
      And a file "one.json":
        """
        { "manifest": "svc-connector/v1", "name": "one", "title": "One", "script": "require('fs')" }
        """
      And a file "two.json":
        """
        { "manifest": "svc-connector/v1", "name": "two", "title": "Two", "credential": { "kind": "api-key" } }
        """
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | sqlite:{folder}/a.db            |
        | SVC_MASTER_KEY   | {key}                           |
        | SVC_PORT         | 0                               |
        | SVC_CONNECTORS   | {folder}/one.json:{folder}/two.json |
      Then it exits with 1
      And standard error has "(connector_invalid)"
      And standard error has "one.json: /script: is not a known member"
      And standard error has "two.json: /credential/kind: must be one of"
