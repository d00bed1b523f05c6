@contract
Feature: Members and tokens from the command line

  Rule: A role can be given, changed and removed

    Scenario: a new member can use their role immediately
      When I call "svc member set ben --role viewer --project {project}"
      Then it exits with 0
      Given a token noted as "ben" with:
        """
        {"org": "{org}", "user": "ben"}
        """
      When I call "svc runs ls" with "SVC_TOKEN" set to "{ben}"
      Then it exits with 0
      When I send "PUT" to "{scoped}/state/a/b" with the token "{ben}" and:
        """
        {"value": "x"}
        """
      Then the answer is 403 with code "forbidden"
      When I call "svc member set ben --role member --project {project}"
      Then it exits with 0
      When I send "PUT" to "{scoped}/state/a/b" with the token "{ben}" and:
        """
        {"value": "x"}
        """
      Then the answer is 201

    @store
    Scenario: members are listed, and removed members lose access
      Given a member "cleo" with the role "admin" and a token noted as "cleo"
      When I call "svc member ls --project {project} --json"
      Then standard output has "cleo"
      When I call "svc member rm cleo --project {project}"
      Then it exits with 0
      When I call "svc member ls --project {project} --json"
      Then standard output lacks "cleo"
      When I send "GET" to "{scoped}/runs" with the token "{cleo}"
      Then the answer is 404 with code "not_found"

    Scenario: a project admin assigns roles in the project but not in the org
      Given a member "dora" with the role "admin" and a token noted as "dora"
      When I call "svc member set eli --role viewer --project {project}" with "SVC_TOKEN" set to "{dora}"
      Then it exits with 0
      When I call "svc member set eli --role owner" with "SVC_TOKEN" set to "{dora}"
      Then it exits with 1
      And standard error has "(forbidden)"

  Rule: A token is created, shown once, listed with its last use, and revoked

    Scenario: a token is created, used and revoked
      When I call "svc token create ci --role viewer --project {project} --expires-in 30d --json"
      Then standard output is JSON whose "token" is noted as "ci"
      And standard output is JSON whose "id" is noted as "ci_id"
      When I call "svc runs ls" with "SVC_TOKEN" set to "{ci}"
      Then it exits with 0
      When I call "svc whoami --json" with "SVC_TOKEN" set to "{ci}"
      Then standard output has "expires_at"
      When I call "svc token ls --json"
      Then standard output has "ci"
      And standard output lacks "{ci}"
      When I call "svc token rm {ci_id}"
      Then it exits with 0
      When I call "svc runs ls" with "SVC_TOKEN" set to "{ci}"
      Then it exits with 4

    Scenario: an owner creates the first token of another user
      When I call "svc member set {project}-bob --role member --project {project}"
      Then it exits with 0
      When I call "svc token create laptop --user {project}-bob --json"
      Then standard output is JSON whose "token" is noted as "bob"
      And standard output is JSON whose "user" is "{project}-bob"
      When I call "svc whoami --json" with "SVC_TOKEN" set to "{bob}"
      Then standard output has "{project}-bob"
      When I call "svc token create more --user {project}-bob" with "SVC_TOKEN" set to "{bob}"
      Then it exits with 1
      And standard error has "(forbidden)"
      And standard error has "an org owner grants the owner role"
      When I call "svc token create more --user {project}-nobody"
      Then it exits with 1
      And standard error has "is not a member of the org"

    Scenario: revoking a token also revokes the tokens it created
      When I call "svc token create first --json"
      Then standard output is JSON whose "token" is noted as "first"
      And standard output is JSON whose "id" is noted as "first_id"
      When I call "svc token create second --json" with "SVC_TOKEN" set to "{first}"
      Then standard output is JSON whose "token" is noted as "second"
      And standard output is JSON whose "id" is noted as "second_id"
      When I call "svc token create third --json" with "SVC_TOKEN" set to "{second}"
      Then standard output is JSON whose "token" is noted as "third"
      When I call "svc token rm {first_id} --keep-minted"
      Then it exits with 0
      And standard error has "{second_id} (user second"
      And standard error has "created by it, still valid"
      When I call "svc runs ls" with "SVC_TOKEN" set to "{third}"
      Then it exits with 0
      When I call "svc token rm {second_id}"
      Then it exits with 0
      And standard error has "(user third"
      And standard error has "revoked with it"
      When I call "svc runs ls" with "SVC_TOKEN" set to "{third}"
      Then it exits with 4

    @own-server @configured @store
    Scenario: the time of a token's last use is stored
      Given an empty database
      And a master key noted as "key"
      When I call "svc admin bootstrap --org acme --project main --user ana --json" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
      Then standard output is JSON whose "token" is noted as "owner"
      When I start "svc serve" as "server" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
        | SVC_PORT         | 0          |
      Then "server" says "svc serve is ready: (\S+)"
      When I call "svc token ls --json" with the settings:
        | SVC_URL   | {server} |
        | SVC_TOKEN | {owner}  |
      Then standard output lacks "last_used_at"
      When "server" gets the signal "SIGTERM"
      Then "server" ends with 0
      When I start "svc serve" as "server" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
        | SVC_PORT         | 0          |
      Then "server" says "svc serve is ready: (\S+)"
      When I call "svc token ls --json" with the settings:
        | SVC_URL   | {server} |
        | SVC_TOKEN | {owner}  |
      Then standard output has "last_used_at"
