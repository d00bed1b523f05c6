@contract
Feature: Invalid credentials

  Scenario Outline: a credential is rejected: <what>
    When I send "PUT" to "{scoped}/credentials/bot" with:
      """
      <body>
      """
    Then the answer is 400 with code "invalid_request"
    And the answer names the faults "<faults>"
    When I send "GET" to "{scoped}/credentials"
    Then the answer lists 0 "credentials"

    Examples:
      | what                                 | body                                                        | faults           |
      | an unknown kind                      | {"kind": "oauth", "token": "tok-1"}                         | /kind            |
      | fields of another kind               | {"kind": "bearer", "token": "tok-1", "password": "pass"}    | /password        |
      | a field that is missing              | {"kind": "api_key", "value": "key-1"}                       | /header          |
      | a header that HTTP keeps             | {"kind": "api_key", "header": "Host", "value": "key-1"}     | /header          |
      | a header that frames the message     | {"kind": "api_key", "header": "content-length", "value": "key-1"} | /header    |
      | a header with a line break           | {"kind": "api_key", "header": "x\\nkey", "value": "key-1"}  | /header          |
      | a value with a line break            | {"kind": "api_key", "header": "x-key", "value": "a\\r\\nb: c"} | /value        |
      | a value with a NUL                   | {"kind": "api_key", "header": "x-key", "value": "ab\\u0000cd"} | /value        |
      | a username with a colon              | {"kind": "basic", "username": "a:b", "password": "pass"}    | /username        |
      | a token that is too short            | {"kind": "url_token", "token": "abc"}                       | /token           |
      | an empty token                       | {"kind": "bearer", "token": ""}                             | /token           |

  Scenario Outline: the CLI rejects flags that do not apply to the kind: <flags>
    When I call "svc credential set bot <flags>"
    Then it exits with 2
    And standard error has "<says>"

    Examples:
      | flags                                       | says                                    |
      | --token x                                   | --kind is missing                       |
      | --kind oauth --token x                      | it must be one of bearer, api-key, basic         |
      | --kind basic --username ci                  | --password is missing                   |
      | --kind bearer --token x --header y          | --header cannot be combined with --kind bearer |
