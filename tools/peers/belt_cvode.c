/* The belt with LuGre friction by SUNDIALS CVODE: BDF with Newton's method, dense direct solver and
 * analytic Jacobian, 20 s. Prints rows `solver,problem,model,tolerance,error,seconds`: the error is
 * that of x(20 s) against the first argument, the time the best of several runs.
 *
 * Equations and parameters are those of crates/system (belt) and data/params/lugre-or-not-set-2.
 * Each tolerance is tried with one absolute tolerance for all states and with one by the size of
 * each, as crates/bench/benches/peers.rs has it. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

static const double mass = 1.0, stiffness = 2.0, speed = 0.1, load = 9.81;
static const double sigma0 = 1e5, sigma1 = 316.22776601683796;
static const double mu_d = 0.10, mu_s = 0.15, v_s = 1e-3, viscous = 0.1 / 9.81;
static const double sizes[3] = {1.0, 1.0, 1e-4};

static int rates(realtype t, N_Vector state, N_Vector rate, void *user) {
    const double *y = N_VGetArrayPointer(state);
    double *dy = N_VGetArrayPointer(rate);
    double v = y[1] - speed, q = v / v_s;
    double level = load * (mu_d + (mu_s - mu_d) * exp(-q * q));
    double dz = v - sigma0 * fabs(v) / level * y[2];
    double force = sigma0 * y[2] + sigma1 * dz + viscous * load * v;
    dy[0] = y[1];
    dy[1] = (-stiffness * y[0] - force) / mass;
    dy[2] = dz;
    return 0;
}

static int jacobian(realtype t, N_Vector state, N_Vector rate, SUNMatrix j, void *user, N_Vector a,
                    N_Vector b, N_Vector c) {
    const double *y = N_VGetArrayPointer(state);
    double v = y[1] - speed, z = y[2], q = v / v_s, fall = load * (mu_s - mu_d) * exp(-q * q);
    double level = load * mu_d + fall, slope = -2.0 * q / v_s * fall;
    double sign = v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0;
    double by_v = 1.0 - sigma0 * z * (sign - fabs(v) * slope / level) / level;
    double by_z = -sigma0 * fabs(v) / level;
    SM_ELEMENT_D(j, 0, 0) = 0.0;
    SM_ELEMENT_D(j, 0, 1) = 1.0;
    SM_ELEMENT_D(j, 0, 2) = 0.0;
    SM_ELEMENT_D(j, 1, 0) = -stiffness / mass;
    SM_ELEMENT_D(j, 1, 1) = -(sigma1 * by_v + viscous * load) / mass;
    SM_ELEMENT_D(j, 1, 2) = -(sigma0 + sigma1 * by_z) / mass;
    SM_ELEMENT_D(j, 2, 0) = 0.0;
    SM_ELEMENT_D(j, 2, 1) = by_v;
    SM_ELEMENT_D(j, 2, 2) = by_z;
    return 0;
}

/* x(20 s); NaN if CVODE fails. Set-up and clean-up are not timed: `seconds` is the integration. */
static double solve(double rtol, int by_size, double *seconds) {
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(3, context), atol = N_VNew_Serial(3, context);
    double *start = N_VGetArrayPointer(y), *small = N_VGetArrayPointer(atol);
    start[0] = 0.0;
    start[1] = speed;
    start[2] = 0.0;
    for (int i = 0; i < 3; i++) small[i] = by_size ? rtol * sizes[i] : rtol;
    void *cvode = CVodeCreate(CV_BDF, context);
    CVodeInit(cvode, rates, 0.0, y);
    CVodeSVtolerances(cvode, rtol, atol);
    SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    CVodeSetLinearSolver(cvode, solver, matrix);
    CVodeSetJacFn(cvode, jacobian);
    CVodeSetMaxNumSteps(cvode, 10000000);
    CVodeSetStopTime(cvode, 20.0);
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    double t;
    int flag = CVode(cvode, 20.0, y, &t, CV_NORMAL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    *seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    double x = flag < 0 ? NAN : start[0];
    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(atol);
    SUNContext_Free(&context);
    return x;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "belt_cvode X: which x(20 s) is right, in m?\n");
        return 2;
    }
    double right = atof(arguments[1]);
    for (int by_size = 0; by_size < 2; by_size++) {
        for (int k = 8; k <= 24; k++) {
            double rtol = pow(10.0, -0.5 * k), best = INFINITY, x = NAN, seconds;
            for (int run = 0; run < 100; run++) {
                x = solve(rtol, by_size, &seconds);
                best = fmin(best, seconds);
            }
            printf("CVODE %s,belt,lugre,%.1e,%.2e,%.4e\n", by_size ? "atol by unit" : "one atol", rtol,
                   fabs(x - right), best);
        }
    }
    return 0;
}
