/* A servo axis under a PD controller with LuGre friction by SUNDIALS CVODE: BDF with Newton's method,
 * dense direct solver and analytic Jacobian, 10 s. Prints rows `solver,tolerance,error,seconds`: the
 * error is the greatest of the position at any sample of the first argument, the time the best of
 * several runs. Equations and parameters are those of crates/machine/examples/servo_axis.rs.
 *
 * Each tolerance is tried with one absolute tolerance for all states and with one by the size of each. */
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

#define SAMPLES 100
static const double mass = 95.1, damping = 203.5, load = 200.0, limit = 150.0, kp = 3e4, kd = 2e3;
static const double sigma0 = 1e4, sigma1 = 50.0, mu_d = 0.102, mu_s = 0.13, v_s = 0.005;
static const double sizes[3] = {1.0, 1.0, 1e-5};
static double reference[SAMPLES];

static double wanted(double t, const double *y) {
    double a = 2.0 * M_PI * 0.3, b = 2.0 * M_PI * 1.9;
    double r = 0.05 * sin(a * t) + 0.006 * sin(b * t);
    double dr = 0.05 * a * cos(a * t) + 0.006 * b * cos(b * t);
    return kp * (r - y[0]) + kd * (dr - y[1]);
}

static int rates(realtype t, N_Vector state, N_Vector rate, void *user) {
    const double *y = N_VGetArrayPointer(state);
    double *dy = N_VGetArrayPointer(rate);
    double v = y[1], q = v / v_s, u = fmax(-limit, fmin(limit, wanted(t, y)));
    double level = mu_d + (mu_s - mu_d) * exp(-q * q);
    double dz = v - sigma0 * fabs(v) / level * y[2];
    dy[0] = v;
    dy[1] = (u - damping * v - load * (sigma0 * y[2] + sigma1 * dz)) / mass;
    dy[2] = dz;
    return 0;
}

static int jacobian(realtype t, N_Vector state, N_Vector rate, SUNMatrix j, void *user, N_Vector a,
                    N_Vector b, N_Vector c) {
    const double *y = N_VGetArrayPointer(state);
    double v = y[1], z = y[2], q = v / v_s, fall = (mu_s - mu_d) * exp(-q * q);
    double level = mu_d + fall, slope = -2.0 * q / v_s * fall;
    double sign = v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : 0.0, free = fabs(wanted(t, y)) < limit;
    double by_v = 1.0 - sigma0 * z * (sign - fabs(v) * slope / level) / level;
    double by_z = -sigma0 * fabs(v) / level;
    SM_ELEMENT_D(j, 0, 0) = 0.0;
    SM_ELEMENT_D(j, 0, 1) = 1.0;
    SM_ELEMENT_D(j, 0, 2) = 0.0;
    SM_ELEMENT_D(j, 1, 0) = -free * kp / mass;
    SM_ELEMENT_D(j, 1, 1) = -(free * kd + damping + load * sigma1 * by_v) / mass;
    SM_ELEMENT_D(j, 1, 2) = -load * (sigma0 + sigma1 * by_z) / mass;
    SM_ELEMENT_D(j, 2, 0) = 0.0;
    SM_ELEMENT_D(j, 2, 1) = by_v;
    SM_ELEMENT_D(j, 2, 2) = by_z;
    return 0;
}

/* The greatest error of a run; NaN if CVODE fails. Set-up and clean-up are not timed. */
static double solve(double rtol, int by_size, double *seconds) {
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(3, context), atol = N_VNew_Serial(3, context);
    double *state = N_VGetArrayPointer(y), *small = N_VGetArrayPointer(atol), worst = 0.0, t;
    for (int i = 0; i < 3; i++) {
        state[i] = 0.0;
        small[i] = by_size ? rtol * sizes[i] : rtol;
    }
    void *cvode = CVodeCreate(CV_BDF, context);
    CVodeInit(cvode, rates, 0.0, y);
    CVodeSVtolerances(cvode, rtol, atol);
    SUNMatrix matrix = SUNDenseMatrix(3, 3, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    CVodeSetLinearSolver(cvode, solver, matrix);
    CVodeSetJacFn(cvode, jacobian);
    CVodeSetMaxNumSteps(cvode, 10000000);
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int k = 0; k < SAMPLES; k++) {
        if (CVode(cvode, 10.0 * (k + 1) / SAMPLES, y, &t, CV_NORMAL) < 0) worst = NAN;
        worst = fmax(worst, fabs(state[0] - reference[k])) + 0.0 * worst;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    *seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    N_VDestroy(atol);
    SUNContext_Free(&context);
    return worst;
}

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
    for (int k = 0; k < SAMPLES; k++) {
        if (!file || fscanf(file, "%lf", &reference[k]) != 1) {
            fprintf(stderr, "servo_cvode FILE: a file of %d positions\n", SAMPLES);
            return 2;
        }
    }
    fclose(file);
    for (int by_size = 0; by_size < 2; by_size++) {
        for (int k = 8; k <= 22; k += 2) {
            double rtol = pow(10.0, -0.5 * k), best = INFINITY, error = NAN, seconds;
            for (int run = 0; run < 20; run++) {
                error = solve(rtol, by_size, &seconds);
                best = fmin(best, seconds);
            }
            printf("CVODE %s,%.1e,%.2e,%.4e\n", by_size ? "atol by unit" : "one atol", rtol, error, best);
            fflush(stdout);
        }
    }
    return 0;
}
