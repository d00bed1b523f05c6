Feature: Triggers

  Rule: Each new item of a list becomes one event

    @contract @far-end @own-server @configured
    Scenario: only items that appear after the first poll become events, each once
      Given a far end that answers:
        | path    | status | type             | body                                                              |
        | /orders | 200    | application/json | {"orders":[{"id":1,"at":10},{"id":2,"at":20}]}                    |
        | /orders | 200    | application/json | {"orders":[{"id":2,"at":20},{"id":3,"at":30,"customer":"ada"}]}   |
        | /orders | 500    | text/plain       | broken by tok-of-shop                                             |
        | /orders | 200    | application/json | {"orders":[{"id":3,"at":30},{"id":4,"at":40,"note":"tok-of-shop"}]} |
      And a file "shop.json":
        """
        {
          "manifest": "svc-connector/v1", "name": "shop", "title": "Shop",
          "credential": { "kind": "bearer" },
          "fields": [{ "name": "base_url", "type": "string", "required": true }],
          "triggers": {
            "new_order": {
              "inputs": [{ "name": "status", "type": "string" }],
              "request": { "method": "GET", "url": "{{ with.base_url }}/orders",
                "query": { "status": "{{ input.status }}", "since": "{{ input.cursor }}" } },
              "items": "body.orders",
              "id": "item.id",
              "cursor": { "of": "items", "value": "item.at" },
              "event": { "type": "order.created", "key": "has(item.customer) ? item.customer : null" },
              "every": { "default": "1h", "least": "10s" }
            }
          }
        }
        """
      When I call "svc connector check {folder}/shop.json"
      Then it exits with 0
      Given a server and an agent of their own with:
        | SVC_CONNECTORS    | {folder}/shop.json |
        | SVC_EGRESS_ALLOW  | 127.0.0.1          |
      And the credential "bot" is '{"kind": "bearer", "token": "tok-of-shop"}'
      And the handler "greet" on "order.created" runs "greet.sh":
        """
        svc output set type="$(svc input id --default none)"
        """
      When I call svc with the arguments:
        | trigger | set | orders | --connector | shop | --credential | bot | --with | {"base_url": "{far}"} | --input | {"status": "paid"} |
      Then standard error has "Created trigger orders; it polls every 1h"
      And "last_poll.items" of the trigger "orders" is soon "2"
      And there are 0 events "order.created"
      When I call "svc trigger run orders"
      Then "cursor" of the trigger "orders" is soon "30"
      And there is 1 event "order.created"
      And "source" of the last event "order.created" is "trigger"
      And the handler "greet" ran 1 time
      And the far end got:
        | method | path                          | authorization      |
        | GET    | /orders?status=paid           | Bearer tok-of-shop |
        | GET    | /orders?status=paid&since=20  | Bearer tok-of-shop |
      When I call "svc trigger run orders"
      Then "failures" of the trigger "orders" is soon "1"
      When I call "svc trigger show orders"
      Then standard output has "failed once"
      And standard output has "broken by ***"
      And standard output lacks "tok-of-shop"
      When I call "svc trigger pause orders"
      And I call "svc trigger run orders"
      Then it exits with 1
      And standard error has "(trigger_paused)"
      When I call "svc trigger resume orders"
      And I call "svc trigger run orders"
      Then "cursor" of the trigger "orders" is soon "40"
      And "failures" of the trigger "orders" is soon "0"
      And there are 2 events "order.created"
      And "payload.note" of the last event "order.created" is "***"
      When I call "svc trigger ls"
      Then standard output has "shop.new_order"
      When I call "svc trigger rm orders"
      Then it exits with 0

    @contract @far-end @own-server @configured
    Scenario: a trigger reads all pages from the beginning, and rejects invalid values
      Given a far end that answers:
        | path   | status | type             | body                               |
        | /list  | 200    | application/json | {"rows":[{"id":"a"}],"next":"p2"}  |
        | /list  | 200    | application/json | {"rows":[{"id":"b"},{"id":"a"}]}   |
      And a file "pages.json":
        """
        {
          "manifest": "svc-connector/v1", "name": "pages", "title": "Pages",
          "fields": [{ "name": "base_url", "type": "string", "required": true }],
          "triggers": {
            "row": {
              "request": { "method": "GET", "url": "{{ with.base_url }}/list" },
              "paginate": { "kind": "cursor", "items": "body.rows", "next": "body.next", "query": "page" },
              "id": "item.id",
              "event": { "type": "row.added" }
            }
          }
        }
        """
      And a server and an agent of their own with:
        | SVC_CONNECTORS    | {folder}/pages.json |
        | SVC_EGRESS_ALLOW  | 127.0.0.1           |
      When I call svc with the arguments:
        | trigger | set | rows | --connector | pages | --from | beginning | --with | {"base_url": "{far}"} |
      Then "last_poll.events" of the trigger "rows" is soon "2"
      And there are 2 events "row.added"
      When I send "PUT" to "{scoped}/triggers/fast" with:
        """
        { "connector": "pages", "trigger": "row", "every": "1s", "with": { "base_url": "{far}" } }
        """
      Then the answer is 400 with code "invalid_request"
      When I send "PUT" to "{scoped}/triggers/none" with:
        """
        { "connector": "nobody", "trigger": "row" }
        """
      Then the answer is 400 with code "invalid_request"
      When I send "PUT" to "{scoped}/triggers/none" with:
        """
        { "connector": "pages", "trigger": "row" }
        """
      Then the answer is 400 with code "invalid_request"
