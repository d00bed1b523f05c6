Feature: Examples from real calls

  @contract @far-end @own-server @configured
  Scenario: an example has no secret of its call and of its response
    Given a far end that answers:
      | path   | status | type             | body |
      | /login | 401    | application/json | {"plain":"tok/of+shop-9","percent":"tok%2Fof%2Bshop-9","base64":"dG9rL29mK3Nob3AtOQ==","url":"dG9rL29mK3Nob3AtOQ==","hex":"746f6b2f6f662b73686f702d39","x-tok/of+shop-9":1,"pin":123456,"again":"is 123456","log":"Set-Cookie: sid=abc-77; Path=/","echo":"hidden word","id":7} |
    And a file "shop.json":
      """
      {
        "manifest": "svc-connector/v1", "name": "shop", "title": "Shop",
        "credential": { "kind": "bearer" },
        "fields": [{ "name": "base_url", "type": "string", "required": true }],
        "actions": {
          "login": {
            "inputs": [{ "name": "password", "type": "string", "required": true }],
            "request": { "method": "POST", "url": "{{ with.base_url }}/login", "body": { "password": "{{ input.password }}" } }
          }
        }
      }
      """
    And a server and an agent of their own with:
      | SVC_CONNECTORS   | {folder}/shop.json |
      | SVC_EGRESS_ALLOW | 127.0.0.1          |
    And the credential "bot" is '{"kind": "bearer", "token": "tok/of+shop-9"}'
    When I call svc with the arguments:
      | connector | record | shop.login | --from | {folder}/shop.json | --credential | bot | --with | {"base_url": "{far}"} | --input | {"password": "hidden word"} |
    Then it exits with 0
    And the far end got:
      | method | path   | authorization        |
      | POST   | /login | Bearer tok/of+shop-9 |
    And the file "shop.json" is JSON with:
      | examples.0.input.password        | ***                        |
      | examples.0.request.body.password | ***                        |
      | examples.0.response.status       | 401                        |
      | examples.0.response.body.plain   | ***                        |
      | examples.0.response.body.percent | ***                        |
      | examples.0.response.body.base64  | ***                        |
      | examples.0.response.body.url     | ***                        |
      | examples.0.response.body.hex     | ***                        |
      | examples.0.response.body.pin     | 0                          |
      | examples.0.response.body.again   | is ***                     |
      | examples.0.response.body.log     | Set-Cookie: ***            |
      | examples.0.response.body.echo    | ***                        |
      | examples.0.response.body.id      | 7                          |
      | examples.0.response.body.x-***   | 1                          |
    When I call "svc connector check {folder}/shop.json"
    Then it exits with 0
