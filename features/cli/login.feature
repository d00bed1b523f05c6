@contract
Feature: Logging in

  Rule: A token does not have to be a command-line argument

    Scenario: the token comes from standard input
      When I log in with "--token -" and the token on standard input
      Then it exits with 0
      And standard output and error lack my token
      When I call "svc whoami --json" without the environment's target
      Then it exits with 0
      And standard output is JSON whose "server" is "{base_url}"
      And standard output is JSON whose "profile.project" is "{project}"

    Scenario: the token comes from a file
      Given a file "token.txt" with my token
      When I log in with "--token @{folder}/token.txt" and nothing on standard input
      Then it exits with 0
      When I call "svc runs ls" without the environment's target
      Then it exits with 0
      And the profile is readable by its owner only

    Scenario: a literal token works, with a warning
      When I log in with "--token {my_token}" and nothing on standard input
      Then it exits with 0
      And standard error has "warning: "
      And standard error has "use - or @file"

  Rule: A failed login does not store anything

    Scenario: a wrong token
      When I log in with "--token -" and "svc_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" on standard input
      Then it exits with 4
      When I call "svc whoami" without the environment's target
      Then it exits with 4
      And standard error has "no server is configured"

    Scenario: login fails for an org that the user is not a member of
      When I log in with "--token - --org nobodys" and the token on standard input
      Then it exits with 2
      And standard error has 'you are not a member of the org "nobodys"'

    Scenario: login fails if the token file is missing
      When I log in with "--token @none.txt" and nothing on standard input
      Then it exits with 2
      And standard error has "--token must be - or @file"

  Rule: Environment variables select the org and project, and are never mixed with a profile's server or token

    Scenario: one command can use another project
      Given another project noted as "other"
      When I log in with "--token -" and the token on standard input
      Then it exits with 0
      When I call "svc whoami --json" with only "SVC_PROJECT" set to "{other}"
      Then standard output is JSON whose "profile.project" is "{other}"
      And standard output is JSON whose "profile.org" is "{org}"

    Scenario: a profile's token is not sent to another server
      When I log in with "--token -" and the token on standard input
      And I call "svc whoami" with only "SVC_URL" set to "http://127.0.0.1:1"
      Then it exits with 4
      And standard error has "is for {base_url}, and is not sent to http://127.0.0.1:1"
      And standard error has "→ set SVC_TOKEN to a token of that server, or log in to it"
      And standard output and error lack my token
      When I call "svc whoami --json" with only "SVC_URL" set to "{base_url}/"
      Then it exits with 0

    Scenario: a token from the environment is not sent to a profile's server
      When I log in with "--token -" and the token on standard input
      And I call "svc whoami" with only "SVC_TOKEN" set to "svc_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      Then it exits with 4
      And standard error has "SVC_TOKEN is set, but SVC_URL is not: the token is not sent to the server in"

    Scenario: a profile that others can read is rejected
      When I log in with "--token -" and the token on standard input
      And the profile is made readable by others
      And I call "svc whoami" without the environment's target
      Then it exits with 2
      And standard error has "(profile_open)"
      And standard error has "→ run `chmod 600"

  Rule: Named profiles select a server and project

    Scenario: a command uses the server that its flags name
      Given another project noted as "other"
      When I log in with "--token - --profile far" and the token on standard input
      Then it exits with 0
      And standard error has ".config/svc/profiles/far.json"
      When I call "svc whoami" without the environment's target
      Then it exits with 4
      When I call "svc whoami --json --profile far" without the environment's target
      Then standard output is JSON whose "server" is "{base_url}"
      And standard output is JSON whose "profile.project" is "{project}"
      When I call "svc whoami --json --profile far --project {other}" without the environment's target
      Then standard output is JSON whose "profile.project" is "{other}"
      When I call "svc whoami --json --project {other}" with only "SVC_PROFILE" set to "far"
      Then standard output is JSON whose "profile.project" is "{other}"
      When I call "svc runs ls --profile far --org nobodys" without the environment's target
      Then it exits with 1
      And standard error has "(not_found)"

    Scenario: an unknown profile name is rejected
      When I log in with "--token - --profile far" and the token on standard input
      And I call "svc whoami --profile near" without the environment's target
      Then it exits with 4
      And standard error has "there is no profile near; the profiles are far"
      And standard error has "→ create it with `svc login --profile near --url"

  Rule: svc doctor reports what is wrong

    @needs-cc @needs-python3
    Scenario: svc doctor reports that everything works
      When I call "svc doctor"
      Then it exits with 0
      And standard output matches "ok +server +answers and is ready"
      And standard output matches "ok +agents +\d+ online"

    Scenario: svc doctor reports that the server does not respond
      When I call "svc doctor" with "SVC_URL" set to "http://127.0.0.1:1"
      Then it exits with 1
      And standard output matches "FAIL +server +cannot reach"
      And standard output has "→ start it"
