Feature: ID tokens of runs

  @own-server @configured @contract
  Rule: A trusted run proves its identity to another system

    Background:
      Given a server that issues ID tokens

    Scenario: a script gets a token that another system verifies, and nobody can read the token in the run
      When I submit the script "deploy.sh":
        """
        token=$(svc id-token --audience sts.amazonaws.com)
        echo "$token" >> {folder}/tokens
        echo "it is $token."
        echo "the end is ${token##*.}." >&2
        export TOKEN=$token
        svc step show -- sh -c 'echo "step $TOKEN."'
        svc annotate "note $token"
        svc output set given="$token"
        svc sleep 10ms
        """
      Then the run succeeds
      And the file "tokens" has 2 different lines
      And line 1 of the file "tokens" is an ID token for "sts.amazonaws.com" with:
        | sub           | org:{org}:project:{project}:workflow:deploy.sh |
        | org           | {org}                                          |
        | project       | {project}                                      |
        | workflow      | deploy.sh                                      |
        | workflow_kind | script                                         |
        | run_id        | {run}                                          |
        | trigger       | manual                                         |
        | trusted       | true                                           |
      And line 2 of the file "tokens" is an ID token for "sts.amazonaws.com" with:
        | run_id | {run} |
      And nobody can read the ID tokens of the file "tokens" anywhere in the run
      And the log has "it is ***."
      And the log has "the end is ***."
      And the log has "step ***."
      And the recorded steps are:
        | site    | kind  | exit | stdout      |
        | show#0  | step  | 0    | step ***.\n |
        | sleep#0 | sleep | 0    |             |
      When I call "svc audit ls --action id_token.issue --json"
      Then standard output has "{run}"
      And standard output has "for sts.amazonaws.com"

    Scenario: an invalid call exits with 2, and the script continues
      When I submit the script "wrong.sh":
        """
        try() { code=0; svc id-token "$@" || code=$?; echo "code $code"; }
        try
        try --audience ''
        try --audience 'a b'
        try --audience a --audience b
        try --audience a --lifetime 59s
        try --audience a --lifetime 61m
        try --audience a extra
        """
      Then the run succeeds
      And the log has "code 2" 7 times
      And the log has "--audience is missing"
      And the log has "--lifetime must be 1m to 1h"

    Scenario: a pipeline's job and the SDKs get tokens in the same way
      When I submit the pipeline:
        """
        name: release
        jobs:
          publish:
            steps:
              - run: |
                  svc id-token --audience npm:registry.npmjs.org --lifetime 1h > {folder}/job
                  cat {folder}/job
        """
      Then the run succeeds
      And line 1 of the file "job" is an ID token for "npm:registry.npmjs.org" with:
        | workflow      | release  |
        | workflow_kind | pipeline |
        | run_id        | {run}    |
      And nobody can read the ID tokens of the file "job" anywhere in the run
      When I submit the script "token.mjs":
        """
        import { writeFileSync } from 'node:fs';
        import { idToken, output, step } from 'svc/sdk';
        const token = await idToken('https://vault.example', { lifetime: '5m' });
        writeFileSync('{folder}/sdk', `${token}\n`);
        console.log(`it is ${token}.`);
        const size = await step('use', () => token.length);
        await output.set({ size, token });
        """
      Then the run succeeds
      And line 1 of the file "sdk" is an ID token for "https://vault.example" with:
        | run_id | {run} |
      And the log has "it is ***."
      And nobody can read the ID tokens of the file "sdk" anywhere in the run

    @needs-python3
    Scenario: a Python program gets a token
      When I submit the script "token.py":
        """
        import svc_sdk as svc

        token = svc.id_token("https://vault.example", lifetime="5m")
        with open("{folder}/sdk", "w") as file:
            file.write(token + "\n")
        print(f"it is {token}.")
        """
      Then the run succeeds
      And line 1 of the file "sdk" is an ID token for "https://vault.example" with:
        | run_id | {run} |
      And the log has "it is ***."

    Scenario: only a push sets the ref and the commit
      Given the webhook "ci" for "acme/site" runs "ci.sh":
        """
        svc id-token --audience cloud > {folder}/pushed
        """
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "6dcb09b5b57875f334f61aebed695e2e4193db5e",
         "repository": {"full_name": "acme/site", "clone_url": "https://forge.example/acme/site.git"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And line 1 of the file "pushed" is an ID token for "cloud" with:
        | sub        | org:{org}:project:{project}:workflow:ci.sh:ref:refs/heads/main |
        | ref        | refs/heads/main                                                |
        | sha        | 6dcb09b5b57875f334f61aebed695e2e4193db5e                       |
        | repository | https://forge.example/acme/site.git                            |
        | trigger    | push                                                           |
      Given the handler "fake" on "site.pushed" runs "ci:ref:main.sh":
        """
        svc id-token --audience cloud > {folder}/emitted
        """
      When I submit the script "emit.sh":
        """
        svc emit site.pushed --payload '{"ref": "refs/heads/main", "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}'
        """
      Then the run succeeds
      When the last event of type "site.pushed" is looked at
      Then the handler "fake" succeeds
      And line 1 of the file "emitted" is an ID token for "cloud" with:
        | sub        | org:{org}:project:{project}:workflow:ci%3Aref%3Amain.sh |
        | trigger    | site.pushed                                                        |
        | ref        |                                                                    |
        | sha        |                                                                    |
        | repository |                                                                    |

    @needs-cc
    Scenario: an untrusted run gets no token
      Given the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And the handler "outsider" on "forge.pull_request" runs "outsider.sh":
        """
        code=0; svc id-token --audience cloud || code=$?; echo "code $code"
        """
      When forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "number": 1, "html_url": "https://forge.example/pr/1", "head": {"ref": "x", "sha": "b2", "repo": {"full_name": "fork/site"}},
          "base": {"repo": {"full_name": "acme/site"}}}}
        """
      Then the handler "outsider" succeeds
      And "trusted" of the run is "false"
      And the log has "is not trusted"
      And the log has "code 1"

  @contract
  Rule: A server issues no tokens unless an operator has turned them on

    Scenario: the verb exits with 1 and shows what to set
      When I submit the script "off.sh":
        """
        code=0; svc id-token --audience cloud || code=$?; echo "code $code"
        """
      Then the run succeeds
      And the log has "set SVC_ID_TOKENS=on, and SVC_PUBLIC_URL"
      And the log has "code 1"
      When I send "GET" to "/.well-known/jwks.json" without a token
      Then the answer is 409 with code "id_tokens_off"

  @contract @program
  Rule: The issuer is the public address of the server

    Scenario: a server that issues tokens does not start without its public address
      Given an empty database
      And a master key noted as "key"
      When I call "svc serve" with the settings:
        | SVC_DATABASE_URL | {database} |
        | SVC_MASTER_KEY   | {key}      |
        | SVC_PORT         | 0          |
        | SVC_ID_TOKENS    | on         |
      Then it exits with 1
      And standard error has "SVC_PUBLIC_URL is not set"
