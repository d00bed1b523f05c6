@contract
Feature: Console sessions

  Rule: A sign-in link works once, in one browser

    Scenario: svc console prints a sign-in link
      When I call "svc console --print"
      Then it exits with 0
      And standard output matches "^http\S+/sign-in#[\w-]{43}$"
      When a browser opens the link
      And the browser sends "GET" to "/api/v1/whoami"
      Then the answer is 200
      When the browser sends "PUT" to "{scoped}/members/nora", without its CSRF token
      Then the answer is 403 with code "csrf_failed"
      When the browser sends "PUT" to "{scoped}/members/nora"
      Then the answer is 201
      When another browser opens the link
      Then the answer is 401 with code "link_invalid"
      When the browser sends "DELETE" to "/api/v1/session"
      And the browser sends "GET" to "/api/v1/whoami"
      Then the answer is 401 with code "not_authenticated"

    Scenario: a browser session cannot create a sign-in link
      When I call "svc console --print"
      And a browser opens the link
      And the browser sends "POST" to "/api/v1/session/links"
      Then the answer is 403 with code "token_required"

    @own-server @configured @needs-python3
    Scenario: svc dev prints a sign-in link, and svc console opens one in a browser
      When I start "svc dev --port 0" as "dev" with the settings:
        | SVC_LOG_LEVEL | warn |
      Then "dev" says "is ready: (http://\S+)"
      And "dev" says "open http://\S+/sign-in#[\w-]{43} "
      Given a program "xdg-open" that notes what it is called with
      When I call "svc console" on a terminal of that server
      Then the program was called with a link to "{dev}/sign-in"
      When "dev" gets the signal "SIGTERM"
      Then "dev" ends with 0

  Rule: An OIDC issuer signs users in, and its claims assign their roles

    @own-server @configured @needs-cc @needs-python3
    Scenario: a user signs in through an issuer
      Given a server whose issuer says that "ana" is in "web-team" and "eve" in nothing, where "web-team" is "member" of the project
      When I call "svc doctor"
      Then standard output matches "ok +sign-in oidc +http\S+ answers"
      When "ana" signs in at the issuer
      And the browser sends "GET" to "{scoped}"
      Then the answer is 200
      And "role" of the answer is "member"
      When "eve" signs in at the issuer
      Then the answer is 403
      And the page says "You have no role here"

    @own-server @configured
    Scenario Outline: a server does not start if <variable> is "<value>"
      Given a master key noted as "key"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL       | sqlite:{folder}/a.db  |
        | SVC_MASTER_KEY         | {key}                 |
        | SVC_PORT               | 0                     |
        | SVC_OIDC_ISSUER        | https://login.example |
        | SVC_OIDC_CLIENT_ID     | svc                   |
        | SVC_OIDC_CLIENT_SECRET | hush-hush             |
        | <variable>             | <value>               |
      Then it exits with 1
      And standard error has "(setting_invalid)"
      And standard error has "<variable> <says>"
      And standard error lacks "hush"

      Examples:
        | variable               | value                | says              |
        | SVC_OIDC_ISSUER        | http://login.example | must be https     |
        | SVC_OIDC_CLIENT_ID     |                      | is missing        |
        | SVC_OIDC_CLIENT_SECRET | @/nowhere/secret     | names the file    |
        | SVC_OIDC_ROLES         | {"claim": "groups"   | is not valid JSON |
        | SVC_OIDC_SCOPES        | email                | must have         |
