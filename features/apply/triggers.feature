@contract
Feature: Triggers and secret stores as files

  Rule: A trigger's file defines what it polls, how often, and where it starts

    @store
    Scenario: triggers are written, compared, applied to another project, and removed with their files
      Given the credential "tracker" is '{"kind": "basic", "username": "ana@example.net", "password": "very-secret-value", "hosts": ["*.example.net"]}'
      When I call svc with the arguments:
        | trigger | set | issues | --connector | issue_tracker | --credential | tracker | --every | 90m | --from | beginning | --paused | --with | {"site": "https://acme.example.net", "project": "OPS"} |
      And I call svc with the arguments:
        | trigger | set | bugs | --connector | issue_tracker | --credential | tracker | --paused | --with | {"site": "https://acme.example.net", "project": "BUG"} |
      And I call "svc export -o {folder}/p"
      Then standard output is:
        """
        credentials/tracker.yaml
        triggers/bugs.yaml
        triggers/issues.yaml
        """
      And the file "p/credentials/tracker.yaml" is:
        """
        kind: basic
        hosts:
          - "*.example.net"
        """
      And the file "p/triggers/issues.yaml" is:
        """
        connector: issue_tracker
        trigger: issue_created
        credential: tracker
        every: 1h30m
        from: beginning
        with:
          site: https://acme.example.net
          project: OPS
        paused: true
        """
      And the file "p/triggers/bugs.yaml" has "every: 5m"
      And no file below "p" has "very-secret-value"
      When I call "svc diff -f {folder}/p"
      Then it exits with 0
      When I call "svc apply -f {folder}/p"
      Then it exits with 0
      And standard error has "nothing to do: 3 unchanged"
      Given another project noted as "copy"
      When I call "svc credential set tracker --kind basic --username ana@example.net --password - --project {copy}" with standard input:
        """
        another-value
        """
      And I call "svc apply -f {folder}/p --project {copy}"
      Then it exits with 1
      And standard output is:
        """
        created triggers/bugs
        created triggers/issues
        """
      And standard error has "failed credentials/tracker: differs from its file"
      And standard error has "--host '*.example.net'"
      When I call "svc credential set tracker --kind basic --username ana@example.net --password - --host *.example.net --project {copy}" with standard input:
        """
        another-value
        """
      And I call "svc diff -f {folder}/p --project {copy}"
      Then it exits with 0
      Given a file "q/triggers/bugs.yaml":
        """
        connector: issue_tracker
        trigger: issue_created
        credential: tracker
        with: {project: BUG, site: https://acme.example.net}
        """
      When I call "svc diff -f {folder}/q --project {copy}"
      Then it exits with 1
      And standard output is:
        """
        - triggers/issues
        """
      When I call "svc apply -f {folder}/q --prune --project {copy}"
      Then it exits with 0
      And standard output is "removed triggers/issues"
      When I call svc with the arguments:
        | trigger | set | bugs | --connector | issue_tracker | --credential | tracker | --every | 1h | --with | {"site": "https://acme.example.net", "project": "OPS"} | --project | {copy} |
      And I call "svc diff -f {folder}/q --project {copy}"
      Then it exits with 1
      And standard output is:
        """
        ~ triggers/bugs
            every: "1h" → "5m"
            with: {"site":"https://acme.example.net","project":"OPS"} → {"project":"BUG","site":"https://acme.example.net"}
        """
      When I call "svc apply -f {folder}/q --project {copy}"
      And I call "svc trigger show bugs --project {copy}"
      Then standard output has "5m"
      And standard output has "paused since"

    @far-end @own-server @configured
    Scenario: an apply moves the cursor of no trigger of the same list
      Given a far end that answers:
        | path    | status | type             | body                                           |
        | /orders | 200    | application/json | {"orders":[{"id":1,"at":10},{"id":2,"at":20}]} |
        | /orders | 200    | application/json | {"orders":[{"id":2,"at":20},{"id":3,"at":30}]} |
      And a file "shop.json":
        """
        {
          "manifest": "svc-connector/v1", "name": "shop", "title": "Shop",
          "fields": [{ "name": "base_url", "type": "string", "required": true }],
          "triggers": {
            "new_order": {
              "request": { "method": "GET", "url": "{{ with.base_url }}/orders", "query": { "since": "{{ input.cursor }}" } },
              "items": "body.orders",
              "id": "item.id",
              "cursor": { "of": "items", "value": "item.at" },
              "event": { "type": "order.created" },
              "every": { "default": "1h", "least": "10s" }
            }
          }
        }
        """
      And a server and an agent of their own with:
        | SVC_CONNECTORS   | {folder}/shop.json |
        | SVC_EGRESS_ALLOW | 127.0.0.1          |
      And a file "p/triggers/orders.yaml":
        """
        connector: shop
        trigger: new_order
        with: {base_url: "{far}"}
        """
      When I call "svc apply -f {folder}/p"
      Then it exits with 0
      And "cursor" of the trigger "orders" is soon "20"
      When I call "svc export -o {folder}/q"
      Then the file "q/triggers/orders.yaml" has "every: 1h"
      When I call "svc apply -f {folder}/q"
      Then standard error has "nothing to do: 1 unchanged"
      When I call "svc apply -f {folder}/p"
      Then standard error has "nothing to do: 1 unchanged"
      And the far end got:
        | method | path    |
        | GET    | /orders |
      Given a file "p/triggers/orders.yaml":
        """
        connector: shop
        trigger: new_order
        every: 2h
        from: beginning
        with: {base_url: "{far}"}
        """
      When I call "svc apply -f {folder}/p"
      Then standard output is "updated triggers/orders"
      And "cursor" of the trigger "orders" is soon "30"
      And there is 1 event "order.created"
      And the far end got:
        | method | path             |
        | GET    | /orders          |
        | GET    | /orders?since=20 |
      When I call "svc diff -f {folder}/p"
      Then it exits with 0

  Rule: A secret store's file contains its address and the names of the variables with its login

    @store
    Scenario: secret stores are written without their logins, and applied with logins from variables
      Given a file "vault.token":
        """
        hvs.root-canary
        """
      When I call "svc secret-store set main --kind vault --url https://vault.example.com/ --token @{folder}/vault.token"
      And I call "svc secret-store set aws --kind aws --region eu-west-1 --access-key-id AKIACANARY --secret-access-key @{folder}/vault.token"
      And I call "svc export -o {folder}/p"
      Then standard output is:
        """
        secret-stores/aws.yaml
        secret-stores/main.yaml
        """
      And the file "p/secret-stores/main.yaml" is:
        """
        kind: vault
        url: https://vault.example.com
        mount: secret
        kv_version: 2
        """
      And no file below "p" has "canary"
      And no file below "p" has "CANARY"
      When I call "svc apply -f {folder}/p"
      Then standard error has "nothing to do: 2 unchanged"
      Given another project noted as "copy"
      And a file "q/secret-stores/main.yaml":
        """
        kind: vault
        url: https://vault.example.com
        login_env: {token: MAIN_TOKEN}
        """
      When I call "svc apply -f {folder}/p --project {copy}"
      Then it exits with 1
      And standard error has "failed secret-stores/main: svc needs the login"
      And standard error has "add login_env to secret-stores/main.yaml"
      When I call "svc apply -f {folder}/q --project {copy}"
      Then it exits with 1
      And standard error has "the variable MAIN_TOKEN with the token of the login is not set"
      When I call "svc apply -f {folder}/q --project {copy}" with "MAIN_TOKEN" set to "hvs.root-canary"
      Then it exits with 0
      And standard output is "created secret-stores/main"
      And standard error lacks "canary"
      When I call "svc diff -f {folder}/q --project {copy}"
      Then it exits with 0
      Given a file "q/secret-stores/main.yaml":
        """
        kind: vault
        url: https://vault.example.com
        mount: team
        login_env: {token: MAIN_TOKEN}
        """
      When I call "svc diff -f {folder}/q --project {copy}"
      Then it exits with 1
      And standard output is:
        """
        ~ secret-stores/main
            mount: "secret" → "team"
        """
      Given a file "r/README.md":
        """
        Nothing is left.
        """
      When I call "svc apply -f {folder}/r --prune --allow-empty --project {copy}"
      Then it exits with 0
      And standard output is "removed secret-stores/main"

    Scenario: a file with a login is not applied
      Given a file "p/secret-stores/main.yaml":
        """
        kind: vault
        url: https://vault.example.com
        login: {token: hvs.root}
        """
      When I call "svc apply -f {folder}/p"
      Then it exits with 2
      And standard error has "secret-stores/main.yaml:/login: is not a known member"
